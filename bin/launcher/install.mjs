import { spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
// By path: this runs before packages are installed.
import { LockTimeoutError, withLock } from '../../packages/process-lock/src/lock.mjs'
import { childOptions } from '../../packages/process-lock/src/terminal.mjs'

// Longer than any installation takes.
const installationTimeoutMs = 15 * 60_000

/** Installs what the lock file names and `node_modules` lacks; of two that start at once one installs and the other waits. */
export async function installPackages(projectDir, { tools }) {
  if (isPackageMissing(projectDir, tools)) {
    await withInstallationLock(projectDir, async () => {
      if (!isPackageMissing(projectDir, tools)) return
      console.error('Installing packages…')
      await runInstallation(projectDir, tools)
    })
  }
  linkWorkspaces(projectDir)
}

/** Compares the lock file with the record that npm keeps of what it installed, however that came about. */
function isPackageMissing(projectDir, tools) {
  const installed = readPackages(join(projectDir, 'node_modules/.package-lock.json'))
  if (!installed) return true
  const wanted = readPackages(join(projectDir, 'package-lock.json'))
  return Object.entries(wanted).some(
    ([path, { version, dev, optional, link }]) =>
      path.includes('node_modules/') &&
      // Which optional packages fit this machine is npm's to know.
      !(optional || link || (dev && !tools)) &&
      installed[path]?.version !== version,
  )
}

/** Adds the links to workspaces that are newer than the installation; npm would remove development tools on the way. */
function linkWorkspaces(projectDir) {
  const wanted = Object.entries(readPackages(join(projectDir, 'package-lock.json'))).filter(([, { link }]) => link)
  for (const [path, { resolved }] of wanted) {
    const link = join(projectDir, path)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(relative(dirname(link), join(projectDir, resolved)), link)
    } catch (cause) {
      // EEXIST: another launcher was quicker.
      if (cause.code !== 'EEXIST') throw explained(`${link} is missing and cannot be made (${cause.code}).`)
    }
  }
}

function readPackages(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : undefined
}

/**
 * From nothing exactly what the lock file names. Onto what is there only the difference: a service that runs from these
 * packages must not see them vanish.
 */
async function runInstallation(projectDir, tools) {
  const isFresh = !existsSync(join(projectDir, 'node_modules/.package-lock.json'))
  const command = isFresh ? ['ci'] : ['install', '--no-save']
  const args = [...command, tools ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const networkError = await findNetworkError(projectDir)
  if (networkError) {
    // npm may have kept all packages of an earlier installation.
    if ((await runNpm(projectDir, [...args, '--offline'], 'ignore')) === 0) return
    throw explained(networkAdvice(networkError, isFresh))
  }
  // Its output is progress, not a result.
  const code = await runNpm(projectDir, args, ['ignore', 2, 2])
  if (code !== 0) throw explained('The packages could not be installed; what npm said above tells why.')
}

const networkErrors =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN|E(SOCKET)?TIMEDOUT|\w*TIMEOUT)$/
const pingTimeoutMs = 10_000

/**
 * Why npm's registry cannot be reached; undefined when it can. An installation would try again for minutes before it says
 * so. npm itself asks, because it knows its registry and its proxy.
 */
async function findNetworkError(projectDir) {
  let said = ''
  const args = ['ping', '--fetch-retries=0', `--fetch-timeout=${pingTimeoutMs}`, '--loglevel=error']
  const code = await runNpm(projectDir, args, ['ignore', 'ignore', 'pipe'], (text) => {
    said += text
  })
  if (code === 0) return undefined
  const reason = /^npm (?:error|ERR!) code (\S+)/m.exec(said)?.[1]
  // A registry may answer, and not know this request.
  if (!reason || !networkErrors.test(reason)) return undefined
  const [, address] = /request to (\S+?)\/*-\/ping/.exec(said) ?? []
  return { reason, registry: address ?? 'the npm registry' }
}

function networkAdvice({ reason, registry }, isFresh) {
  const state = isFresh ? 'The first start installs packages' : 'This version needs other packages than those installed'
  return `${state}, and ${registry} cannot be reached (${reason}). Once they are installed, no start needs a network.
Do one of these, and start again:
  - connect this machine to the network
  - behind a proxy: npm config set https-proxy http://proxy.example:3128
  - with a registry of your own: npm config set registry https://registry.example
  - copy the folder node_modules from a checkout of the same version, on the same system and processor`
}

/** Runs `work` while no other launcher of this checkout installs. */
async function withInstallationLock(projectDir, work) {
  const folder = join(projectDir, 'server/dist/installing')
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    throw explained(`Packages are missing and ${projectDir} cannot be written to (${cause.code}).`)
  }
  try {
    await withLock(folder, work, { timeoutMs: installationTimeoutMs, waitingFor: 'another installation of packages' })
  } catch (error) {
    throw error instanceof LockTimeoutError ? explained(error.message) : error
  }
}

/**
 * Runs npm in the checkout; returns its exit code. `onError` gets what it writes to a piped standard error. A signal that
 * reaches this process alone is passed on.
 */
export async function runNpm(projectDir, args, stdio, onError = () => {}) {
  // Under npm its own script is known; it need not be on the PATH.
  const script = process.env.npm_execpath
  const [program, ...first] = script?.endsWith('npm-cli.js') ? [process.execPath, script] : ['npm']
  const child = spawn(program, [...first, ...args], { cwd: projectDir, stdio, ...childOptions })
  child.stderr?.setEncoding('utf8').on('data', onError)
  const stop = () => child.kill('SIGTERM')
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
  try {
    return await new Promise((done, fail) => {
      child.once('error', ({ message }) => fail(explained(`npm does not start: ${message}.`)))
      child.once('close', (code) => done(code ?? 1))
    })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop)
  }
}

/** An error that is reported by its message alone. */
export function explained(message) {
  return Object.assign(new Error(message), { isExplained: true })
}
