// Compiles a JavaScript file to a component: componentize.mjs SOURCE COMPONENT
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { componentize } from "@bytecodealliance/componentize-js";

const [, , sourcePath, target] = argv;
// The interfaces as jco has them, in the version that the engine inside componentize-js was built for.
const [HAD, WANTED] = ["0.2.12", "0.2.10"];
const interfaces = fileURLToPath(new URL(`node_modules/@bytecodealliance/jco/lib/wit/builtin/${HAD}`, import.meta.url));
const witPath = await mkdtemp(join(tmpdir(), "wit-"));
await cp(interfaces, join(witPath, "deps"), { recursive: true });
for (const name of await readdir(join(witPath, "deps"))) {
  const file = join(witPath, "deps", name, "package.wit");
  await writeFile(file, (await readFile(file, "utf8")).replaceAll(HAD, WANTED));
}
const world = `package local:greet;\nworld greet { export wasi:http/incoming-handler@${WANTED}; }\n`;
await writeFile(join(witPath, "world.wit"), world);
const { component } = await componentize({ sourcePath, witPath, worldName: "greet" });
await writeFile(target, component);
await rm(witPath, { recursive: true });
