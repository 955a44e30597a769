// Bundles files of a client from a local clone at a commit, in a folder that is removed when the tests end.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);
const modules = join(dirname(fileURLToPath(import.meta.url)), "node_modules");

// What a module of the framework around the client gives it.
const STUB = "module.exports = { browser: false, dev: false, env: {} };";

// Resolves the client's own names for its folders, and replaces what is not there.
function aliases(folders, root) {
  return {
    name: "aliases",
    setup(bundler) {
      bundler.onResolve({ filter: /^(\$|@\/|~\/|@lace\/)/ }, async ({ path, resolveDir, kind }) => {
        for (const [prefix, folder] of folders) {
          if (path.startsWith(prefix)) {
            const found = await bundler.resolve(`./${join(folder, path.slice(prefix.length))}`, { resolveDir: root, kind });
            if (found.errors.length === 0) return found;
          }
        }
        return { path: path || resolveDir, namespace: "stub" };
      });
      bundler.onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: STUB, loader: "js" }));
    },
  };
}

// Imports what `entry`, a module in the clone's folder, exports.
export async function load(clone, commit, { paths, folders, entry }) {
  const work = await mkdtemp(join(tmpdir(), "countersign-client-"));
  after(() => rm(work, { recursive: true, force: true }));
  const archive = join(work, "client.tar");
  await run("git", ["-C", clone, "archive", "--output", archive, commit, "--", ...paths]);
  await run("tar", ["-xf", archive, "-C", work]);
  const outfile = join(work, "client.mjs");
  await build({
    stdin: { contents: entry, resolveDir: work, loader: "tsx" },
    bundle: true, format: "esm", platform: "node", jsx: "automatic", outfile, logLevel: "error",
    nodePaths: [modules], plugins: [aliases(folders, work)], define: { "import.meta.hot": "undefined" },
    tsconfigRaw: {},
  });
  return import(pathToFileURL(outfile));
}
