// The rules of every wrapper, for langchain.
import { testWrapper } from "./contract.js";

await testWrapper("langchain");
