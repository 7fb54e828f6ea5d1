import { fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
// By path: this may run before packages are installed.
import { withLock } from '../../packages/process-lock/src/lock.mjs'
import { childOptions } from '../../packages/process-lock/src/terminal.mjs'
import { findBuild, hashFiles, lastBuild, prepareBuild } from './builds.mjs'
import { explained } from './install.mjs'

const kind = 'console'
/** Measured with two processors: launcher, bundler of the service and build of the console take 380 MB together. */
const neededMemory = 448 * 2 ** 20
// Longer than a build takes on a slow machine.
const buildTimeoutMs = 10 * 60_000

/** The folder of an up-to-date build of the console. Of several that start at once one builds and the others wait. */
export async function prepareConsole(projectDir) {
  const build = { kind, hash: hashOfSources(projectDir), build: (outdir) => buildConsole(projectDir, outdir) }
  const existing = findBuild(projectDir, build)
  if (existing) return existing
  const folder = join(projectDir, 'server/dist/building-console')
  try {
    mkdirSync(folder, { recursive: true })
  } catch {
    // Where nothing can be written to the checkout, there is nothing to share either.
    return prepareBuild(projectDir, build)
  }
  return withLock(folder, () => prepareBuild(projectDir, build), {
    timeoutMs: buildTimeoutMs,
    waitingFor: 'another build of the console',
  })
}

/** The folder of the build that was used last, up to date or not. */
export function lastConsole(projectDir) {
  return lastBuild(projectDir, kind)
}

function hashOfSources(projectDir) {
  return hashFiles(projectDir, {
    files: [
      ...['build.mjs', 'index.html', 'package.json', 'vite.config.mjs'].map((name) => `console/${name}`),
      ...['package-lock.json', 'bin/launcher/builds.mjs', 'bin/launcher/console.mjs'],
    ],
    folders: ['console/public', 'console/src'],
    matching: /\.[a-z0-9]+$/,
  })
}

/** What this process may use: of the machine, or of its control group. */
function availableMemory() {
  return Math.min(totalmem(), process.constrainedMemory?.() || Number.POSITIVE_INFINITY)
}

function inMegabytes(bytes) {
  return `${Math.floor(bytes / 2 ** 20)} MB`
}

/** In a process of its own: the memory that Vite needs is not the service's. It ends with this process. */
async function buildConsole(projectDir, outdir) {
  console.error('Building the console, once for this version; that takes ten seconds to a minute…')
  const memory = availableMemory()
  if (memory < neededMemory)
    console.error(
      `There are ${inMegabytes(memory)} of memory, and building the console needs ${inMegabytes(neededMemory)}: it may fail, or take very long. Give it more for this start, or copy server/dist from a machine that has built this version in a folder of the same name.`,
    )
  const child = fork(join(projectDir, 'console/build.mjs'), [outdir], {
    ...childOptions,
    cwd: projectDir,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    env: {
      ...process.env,
      // Another value would put the slow development version of React into the build.
      NODE_ENV: 'production',
      // The bundler's allocator keeps what it freed: 600 MB at most, where 315 MB suffice when it gives memory back at once.
      MIMALLOC_PURGE_DELAY: '0',
      MIMALLOC_ARENA_EAGER_COMMIT: '0',
    },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const [code, signal] = await new Promise((done) => child.once('close', (code, signal) => done([code, signal])))
  if (code === 0) return
  const ending =
    signal === 'SIGKILL'
      ? `the system ended it, as it does when memory runs out; ${inMegabytes(neededMemory)} are needed and there are ${inMegabytes(memory)}.`
      : `exit code ${code ?? signal}`
  throw explained(`The console could not be built: ${said.trim() || ending}`)
}
