#!/usr/bin/node
// Chroma's command, out of its native npm package. The handlers must be there before the package is loaded: without them
// Node's own handler raises each signal again, for ever, and the server never ends.
process.on('SIGTERM', () => {});
process.on('SIGINT', () => {});
require('/app/binding').cli(['chroma', ...process.argv.slice(2)]);
process.exit(0);
