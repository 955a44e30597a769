// The rules of every wrapper, for mcp_client_v2.
import { testWrapper } from "./contract.js";

await testWrapper("mcp_client_v2");
