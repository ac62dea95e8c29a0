// Printed on a Node that is too old, so this file uses only old syntax and imports nothing.

export const nodeVersionText = {
  tooOld: (oldest: string, version: string) =>
    `Assent needs Node ${oldest} or later, and this is ${version}. Nothing was started. Install a newer Node, and make sure that it comes first in the PATH of your clients.`,
}
