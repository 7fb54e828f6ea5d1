import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
// By path: this runs before packages are installed.
import { childOptions, escapeControls, surviveHangUp } from '../../packages/process-lock/src/terminal.mjs'
import { prepareBundle } from './bundle.mjs'
import { lastConsole, prepareConsole } from './console.mjs'
import { installPackages } from './install.mjs'

const projectDir = resolve(import.meta.dirname, '../..')

/** Makes ready what a command needs and runs it. What can go wrong before that is said in one sentence. */
export async function launch(args) {
  surviveHangUp()
  try {
    if (args[0] === 'dev') await runDevelopment()
    else if (args[0] === 'prepare') await prepare(args)
    else if (args[0] === 'bench') await runSource(['bench/run.ts', ...args.slice(1)])
    else if (args[0] === 'drill') await runSource(['drill/run.ts', ...args.slice(1)])
    else await runBundle(args)
  } catch (error) {
    if (!error.isExplained) throw error
    console.error(escapeControls(error.message))
    process.exitCode = 1
  }
}

/** What a start does before it runs anything, so that a start needs to write nothing to the checkout. */
async function prepare(args) {
  await installPackages(projectDir, { tools: false })
  const [entry, console] = await Promise.all([prepareBundle(projectDir), prepareConsole(projectDir)])
  process.stdout.write(
    args.includes('--json')
      ? `${JSON.stringify({ entry: fileURLToPath(entry), console })}\n`
      : 'The packages are installed, the program is bundled and the console is built.\n',
  )
}

/** In this process, so that signals and the terminal arrive without a middleman. */
async function runBundle(args) {
  await installPackages(projectDir, { tools: false })
  const isServe = args.find((arg) => !arg.startsWith('-')) === 'serve'
  const [entry] = await Promise.all([prepareBundle(projectDir), isServe && provideConsole(prepareConsole)])
  process.setSourceMapsEnabled(true)
  await import(entry)
}

/** From the source, with the console as it was built last; `npm run console` serves the console from its source. */
async function runDevelopment() {
  await installPackages(projectDir, { tools: true })
  await provideConsole(async () => lastConsole(projectDir) ?? (await prepareConsole(projectDir)))
  await runSource(['watch', '--clear-screen=false', 'server/src/program/bin/cli.ts', 'serve'])
}

/** Tells the service where the console is. It also runs without one. */
async function provideConsole(findFolder) {
  if (process.env.CONSOLE_DIR) return
  try {
    process.env.CONSOLE_DIR = await findFolder(projectDir)
  } catch (error) {
    console.error(`${escapeControls(error.message)}\nThe service starts without the console.`)
  }
}

async function runSource(args) {
  await installPackages(projectDir, { tools: true })
  const tsx = join(projectDir, 'node_modules/tsx/dist/cli.mjs')
  const child = spawn(process.execPath, [tsx, ...args], { cwd: projectDir, stdio: 'inherit', ...childOptions })
  // The terminal's Ctrl-C reaches the child by itself; a signal sent to this process alone is passed on.
  process.on('SIGINT', () => childOptions.detached && child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.exitCode = await new Promise((done) => child.once('close', (code) => done(code ?? 1)))
}
