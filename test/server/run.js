// Runs the chroma command inside a native binding: node run.js BINDING ARGUMENT...
//
// The handlers must be there before the binding is loaded. Without them Node's own handler raises each signal again, for
// ever, and the server never ends.
process.on('SIGTERM', () => {});
process.on('SIGINT', () => {});
const [binding, ...args] = process.argv.slice(2);
require(binding).cli(['chroma', ...args]);
process.exit(0);
