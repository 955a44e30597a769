// Imports a module of the pages that imports no other one. Their folder has no manifest, by which Node.js would know modules.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const ASSETS = join(__dirname, "../../crates/web/assets");

exports.load = (path) => {
  const source = readFileSync(join(ASSETS, path), "utf8");
  return import(`data:text/javascript,${encodeURIComponent(source)}`);
};
