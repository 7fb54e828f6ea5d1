#!/usr/bin/env node
// The launcher: the only file that an old Node has to be able to read. It checks the version before it loads the rest.
const oldest = [20, 19]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(`Storedex needs Node ${oldest.join('.')} or newer; this is ${process.version}.`)
  process.exitCode = 1
} else {
  const { launch } = await import('./launcher/launch.mjs')
  await launch(process.argv.slice(2))
}
