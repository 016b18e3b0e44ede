// sum-results.mjs FILE [--failed PART]... [--skipped PART]...: adds up what the test runners said, names each test that
// failed and what was left out, and closes with `N passed, N failed`. A part that failed without naming a failed test counts
// as one; what was skipped counts as neither.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    failed: { type: "string", multiple: true, default: [] },
    skipped: { type: "string", multiple: true, default: [] },
  },
});
const escape = String.fromCharCode(27);
const text = readFileSync(positionals[0], "utf8").replaceAll(new RegExp(`${escape}\\[[0-9;]*m`, "g"), "");
const sum = (...patterns) =>
  patterns.flatMap((pattern) => [...text.matchAll(pattern)]).reduce((total, match) => total + Number(match[1]), 0);

// cargo test and libtest-mimic; vitest; node's own runner.
const passed = sum(/^test result: \w+\. (\d+) passed/gm, /^\s*Tests\s.*?(\d+) passed/gm, /^(?:ℹ|#) pass (\d+)/gm);
const named = sum(
  /^test result: \w+\. \d+ passed; (\d+) failed/gm,
  /^\s*Tests\s+(\d+) failed/gm,
  /^(?:ℹ|#) fail (\d+)/gm,
);
const leftOut = sum(
  /^test result: .*?(\d+) ignored/gm,
  /^\s*Tests\s.*?(\d+) skipped/gm,
  /^(?:ℹ|#) skipped (\d+)/gm,
  /^(?:ℹ|#) todo (\d+)/gm,
);
const failed = Math.max(named, values.failed.length);
const failedTests = new Set(
  [/^test (.+?) \.\.\. FAILED$/gm, /^ *FAIL +(.+)$/gm, /^ *not ok \d+ - (.+)$/gm].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1]),
  ),
);

if (values.failed.length > 0) console.log(`Failed parts: ${values.failed.join(", ")}`);
for (const name of failedTests) console.log(`Failed test: ${name}`);
if (leftOut > 0) console.log(`Skipped tests: ${leftOut}`);
console.log(`Skipped parts: ${values.skipped.length > 0 ? values.skipped.join(", ") : "none"}`);
if (passed === 0) console.log("No test was run.");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
