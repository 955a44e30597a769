// Imports a module of the pages, with those that it imports. Their folder has no manifest, by which Node.js would know modules.
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const ASSETS = join(__dirname, "../../crates/web/assets");

function addressOf(path) {
  const source = readFileSync(path, "utf8");
  const linked = source.replace(/(?<=^import [^"]*from )"(\.[^"]+)"/gm, (_, other) => JSON.stringify(addressOf(join(dirname(path), other))));
  return `data:text/javascript,${encodeURIComponent(linked)}`;
}

exports.load = (path) => import(addressOf(join(ASSETS, path)));
