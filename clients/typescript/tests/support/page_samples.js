// The samples in TypeScript and JavaScript on the repository pages. A page's samples are one program: a later one uses the
// names of those before.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../../../", import.meta.url);
const fence = /^```(?:ts|js)\n(.*?)^```/gms;
// The first words of a sample that shows what a page replaces.
const anotherLibrary = "// before";

// All page samples, each with its page, its line and the packages that it imports.
export function readSamples() {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { cwd: fileURLToPath(root) });
  return String(listed).trim().split("\n").flatMap((page) => {
    const text = readFileSync(new URL(page, root), "utf8");
    return [...text.matchAll(fence)].map(({ index, 1: code }) => ({
      page, line: text.slice(0, index).split("\n").length + 1, code,
      imports: [...code.matchAll(/from "([^"]+)"/g)].map(([, name]) => name),
    }));
  }).filter(({ code, imports }) => !code.startsWith(anotherLibrary) && !imports.some((name) => name.startsWith("/")));
}
