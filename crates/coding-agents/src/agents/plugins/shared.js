// Written by `countersign install`, which replaces changes; `countersign uninstall` removes it.
import { spawn } from "node:child_process";

const COMMAND = "@COMMAND@";

// Sends one message to the hook and returns its answer. Every failure is an error.
function send(message) {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", COMMAND], { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const timer = setTimeout(() => {
      reject(new Error("countersign: the hook did not answer in time"));
      // The group has the program that the shell waits for.
      try { process.kill(-child.pid, "SIGKILL"); } catch {}
    }, 600_000);
    let answer = "";
    let why = "";
    child.stdout.on("data", (chunk) => { answer += chunk; });
    child.stderr.on("data", (chunk) => { why += chunk; });
    child.stdin.on("error", () => {});
    child.on("error", (error) => { clearTimeout(timer); reject(error); });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(answer);
      else reject(new Error(why.trim() || "countersign: the hook was killed"));
    });
    child.stdin.end(JSON.stringify(message));
  });
}

// The arguments to run. Throws, which blocks the call, unless the answer allows it.
async function ask(message) {
  const answer = JSON.parse(await send(message));
  const approved = answer.arguments;
  if (answer.verdict === "allow" && typeof approved === "object" && approved !== null) return approved;
  throw new Error(answer.reason || "countersign: the hook gave no answer that can be used");
}

// Reports what ran. A lost report blocks nothing: the call's outcome is then unknown.
async function report(message) {
  const answer = await send(message).catch(() => "");
  if (answer.includes('"verdict":"stop"')) throw new Error(JSON.parse(answer).reason);
}

