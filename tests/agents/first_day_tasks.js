// Ten ordinary tasks of a coding agent's first day, with the calls of the agent, what a person answers, and what is asked.
import path from "node:path";

const SUM = "  return items.reduce((sum, item) => sum + item.price, 0);";
const FIXED = `export function total(items) {\n${SUM}\n}\n`;
const TOTAL = 'export { total } from "./cart.js";';
const DISCOUNT = "export function discount(sum, percent) {\n  return sum - (sum * percent) / 100;\n}\n";
const DISCOUNT_TEST =
  'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { discount } from "../src/index.js";\n\ntest("discount", () => assert.equal(discount(50, 10), 45));\n';
const INDEX = `${TOTAL}\nexport { discount } from "./discount.js";\n`;
const COMMIT = `git add -A && git commit -q -m "$(cat <<'EOF'\nFix the total, and add a discount\n\nThe sum began with one.\nEOF\n)"`;
const MANUAL = "# Usage\n\n`total(items)` adds up the prices.\n";
const DEBUG = 'import { total } from "../src/index.js";\n\nconsole.log(total([{ price: 2 }]));\n';

const ALLOW = { decision: "allow_once" };
const DENY = { decision: "deny", comment: "that file is private" };
const PUSH = { about: "git push", answer: ALLOW };
const INSTALL = { about: "npm install", answer: ALLOW };
const OUTSIDE = "/etc/hostname";
const NOTES = { about: OUTSIDE, answer: DENY };

/// The tasks in the words of an agent: `sh` runs a command, `read` shows a file, `write` makes one, and `edit` changes one.
export function firstDayTasks({ sh, read, write, edit, plan }) {
  return [
    {
      name: "fix a failing test",
      steps: [[sh("npm test")], [sh("grep -rn 'reduce' src test | head -20"), read("src/cart.js")], [edit("src/cart.js", SUM.replace("0);", "1);"), SUM)], [sh("npm test 2>&1 | tail -20"), sh("git diff")]],
      shows: ({ results, file }) => file("src/cart.js") === FIXED && results.some((text) => /# fail 0|fail 0/.test(text)),
    },
    {
      name: "add a feature with a test",
      steps: [[sh("ls -la src test && cat src/index.js")], [write("src/discount.js", DISCOUNT), write("test/discount.test.js", DISCOUNT_TEST)], [read("src/index.js")], [edit("src/index.js", TOTAL, INDEX.trimEnd())], [sh("node --test test/discount.test.js"), sh("npm run lint && npm test -- --test-reporter=dot")]],
      shows: ({ file }) => file("src/index.js") === INDEX,
    },
    {
      name: "refactor across files",
      steps: [[sh("git grep -n total -- src test"), sh("find . -name '*.js' -not -path './node_modules/*' | xargs wc -l")], [read("src/cart.js"), read("src/index.js"), read("test/cart.test.js")], [edit("src/cart.js", "export function total(items) {", "export function sumOf(items) {"), edit("src/index.js", TOTAL, TOTAL.replace("total", "sumOf as total"))], [sh("npm test -- --test-name-pattern=total"), sh("npm run build")]],
      shows: ({ file }) => file("src/cart.js").includes("sumOf") && file("dist/cart.js").includes("sumOf"),
    },
    {
      name: "rename a file",
      steps: [[sh("git mv src/cart.js src/basket.js")], [sh("sed -i 's#./cart.js#./basket.js#' src/index.js && sed -i 's#src/cart.js#src/basket.js#' package.json")], [sh("npm test && npm run lint"), sh("git status --short")]],
      shows: ({ file }) => file("src/basket.js").includes("sumOf") && file("package.json").includes("src/basket.js"),
    },
    {
      name: "write documentation",
      steps: [[read("README.md"), sh("git log --oneline -5 -- README.md")], [write("docs/usage.md", MANUAL), edit("README.md", "Adds up carts.", "Adds up carts: see [usage](docs/usage.md).")], [sh("wc -l docs/*.md README.md && cat docs/usage.md")]],
      shows: ({ file }) => file("docs/usage.md") === MANUAL,
    },
    {
      name: "add a dependency",
      steps: [[sh("cat package.json | head -30; npm ls --depth=0")], [sh("npm install --no-audit --no-fund ./vendor/colours")], [sh("npm ls colours && npm test")]],
      answers: [INSTALL],
      asks: ["npm install"],
      shows: ({ file }) => file("package.json").includes("colours"),
    },
    {
      name: "read the history, commit and push",
      steps: [[sh("git status --short && git diff --stat"), sh("git log --oneline -10 && git blame -L 1,3 README.md")], [sh(COMMIT)], [sh("git show --stat HEAD && git branch --show-current")], [sh("git push -u origin HEAD")]],
      answers: [PUSH],
      asks: ["git push"],
      shows: ({ git }) => git("log", "--format=%s", "-1", "@{upstream}").includes("Fix the total"),
    },
    {
      name: "read a file outside of the project",
      steps: [[sh("ls docs")], [read(OUTSIDE)], [sh("cat docs/usage.md")]],
      answers: [NOTES],
      asks: [OUTSIDE],
      shows: ({ results }) => results.some((text) => text.includes("that file is private")),
    },
    {
      name: "clean up, lint and debug",
      steps: [[sh("rm -r dist && npm run build && ls dist")], [write("scripts/debug.js", DEBUG)], [sh("node scripts/debug.js"), sh("node --check scripts/debug.js")], [sh("npm run lint 2>&1 | tee dist/lint.log | tail -5")], [sh("rm -r dist")]],
      shows: ({ results, has }) => results.some((text) => /("|\\n)2("|\\n)/.test(text)) && !has("dist"),
    },
    plan,
  ];
}

let count = 0;
const call = (name, input) => ({ id: `toolu_${(count += 1)}`, name, input });

/// The tools of Claude Code.
export function claudeTools(project) {
  const file = (name) => path.resolve(project, name);
  return {
    sh: (command) => call("Bash", { command, description: "Runs a command" }),
    read: (name) => call("Read", { file_path: file(name) }),
    write: (name, content) => call("Write", { file_path: file(name), content }),
    edit: (name, old_string, new_string) => call("Edit", { file_path: file(name), old_string, new_string, replace_all: false }),
    plan: planOfClaude(),
  };
}

/// A question that its user answers in its own terminal.
function planOfClaude() {
  const question = { question: "Which style?", header: "Style", multiSelect: false, options: [{ label: "Functions", description: "as now" }, { label: "Classes", description: "anew" }] };
  return {
    name: "ask the user, and plan",
    inTerminal: true,
    steps: [[call("AskUserQuestion", { questions: [question] })], [call("Bash", { command: "git log --oneline -3", description: "Shows the history" })]],
    // The dialog shows the first option as chosen.
    keys: ({ output, press, end, results }) => {
      if (results.some((text) => text.includes("Begin"))) return end();
      if (output.includes("Classes") && results.length === 0) press("\r");
    },
    shows: ({ results }) => results.some((text) => text.includes("Functions")),
  };
}

/// The lines of a patch that changes one line of a file, or makes a file.
const patch = (lines) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

/// The tools of Codex.
export function codexTools() {
  const lines = (text, mark) => text.replace(/\n$/, "").split("\n").map((line) => mark + line);
  const sh = (cmd) => call("exec_command", { cmd });
  return {
    sh,
    read: (name) => sh(`sed -n '1,120p' ${name}`),
    write: (name, content) => call("apply_patch", patch([`*** Add File: ${name}`, ...lines(content, "+")])),
    edit: (name, before, after) => call("apply_patch", patch([`*** Update File: ${name}`, "@@", ...lines(before, "-"), ...lines(after, "+")])),
    plan: {
      name: "look around, and plan",
      steps: [[sh("rg -n total . || true"), sh("git log --oneline -3")], [call("update_goal", { status: "complete" })], [sh("git diff --stat HEAD~1")]],
      shows: ({ results }) => results.some((text) => text.includes("Begin")),
    },
  };
}
