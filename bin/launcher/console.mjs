import { fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
// By path: this may run before packages are installed.
import { withLock } from '../../packages/process-lock/src/lock.mjs'
import { findBuild, hashFiles, lastBuild, prepareBuild } from './builds.mjs'
import { explained } from './install.mjs'

const kind = 'console'
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

/** In a process of its own: the memory that Vite needs is not the service's. It ends with this process. */
async function buildConsole(projectDir, outdir) {
  const child = fork(join(projectDir, 'console/build.mjs'), [outdir], {
    cwd: projectDir,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    // Another value would put the slow development version of React into the build.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const code = await new Promise((done) => child.once('close', (code) => done(code ?? 1)))
  if (code !== 0) throw explained(`The console could not be built: ${said.trim() || `exit code ${code}`}`)
}
