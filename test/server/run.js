// Runs the chroma command inside a native binding: node -e SCRIPT -- BINDING SIGNALS ARGUMENT...
//
// A binding that handles a signal itself also calls the handler that was there before. Node's own raises the signal again,
// so the server would never end. Each such signal must get another handler before the binding is loaded. The others must
// not: with a handler they do nothing.
const [binding, signals, ...args] = process.argv.slice(1);
signals.split(',').forEach((signal) => process.on(signal, () => {}));
require(binding).cli(['chroma', ...args]);
process.exit(0);
