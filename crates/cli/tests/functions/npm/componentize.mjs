// Compiles a JavaScript file to a component: componentize.mjs SOURCE COMPONENT
import { writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { componentize } from "@bytecodealliance/componentize-js";

const [, , sourcePath, target] = argv;
const { component } = await componentize({ sourcePath, witWorld: "package local:greet; world greet {}" });
await writeFile(target, component);
