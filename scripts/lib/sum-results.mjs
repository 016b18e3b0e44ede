// sum-results.mjs FILE [FAILED PART...]: adds up what the test runners said and closes with `N passed, N failed`.
// A part that failed without naming a failed test counts as one.
import { readFileSync } from "node:fs";

const [file, ...failedParts] = process.argv.slice(2);
const escape = String.fromCharCode(27);
const text = readFileSync(file, "utf8").replaceAll(new RegExp(`${escape}\\[[0-9;]*m`, "g"), "");
const sum = (pattern) => [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);

// cargo test and libtest-mimic; vitest; node's own runner.
const passed = sum(/^test result: \w+\. (\d+) passed/gm) + sum(/^\s*Tests\s.*?(\d+) passed/gm) + sum(/^(?:ℹ|#) pass (\d+)/gm);
const named =
  sum(/^test result: \w+\. \d+ passed; (\d+) failed/gm) + sum(/^\s*Tests\s+(\d+) failed/gm) + sum(/^(?:ℹ|#) fail (\d+)/gm);
const failed = Math.max(named, failedParts.length);

if (failedParts.length > 0) console.log(`Failed parts: ${failedParts.join(", ")}`);
if (passed === 0) console.log("No test was run.");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
