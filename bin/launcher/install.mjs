import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { explained } from './explained.mjs'
import { runNpm } from './npm.mjs'

/** Installs what the lock file names and `node_modules` lacks; of two that start at once one installs and the other waits. */
export async function installPackages(projectDir, { tools }) {
  if (isPackageMissing(projectDir, tools)) {
    await alone(projectDir, async () => {
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
  // Its output is progress, not a result.
  const code = await runNpm(projectDir, args, ['ignore', 2, 2])
  if (code !== 0) throw explained('The packages could not be installed; what npm said above tells why.')
}

// Longer than any installation takes: a mark this old was left behind.
const staleAfterMs = 15 * 60_000

/** Runs `work` while no other launcher of this checkout does. Each leaves its mark before it looks for others' marks. */
async function alone(projectDir, work) {
  const folder = join(projectDir, 'server/dist/installing')
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    throw explained(`Packages are missing and ${projectDir} cannot be written to (${cause.code}).`)
  }
  const mark = join(folder, String(process.pid))
  for (;;) {
    if (!isOtherAtWork(folder)) {
      writeFileSync(mark, '')
      if (!isOtherAtWork(folder)) break
      rmSync(mark, { force: true })
    }
    await delay(100 + Math.random() * 200)
  }
  try {
    await work()
  } finally {
    rmSync(mark, { force: true })
  }
}

function isOtherAtWork(folder) {
  return readdirSync(folder).some((name) => {
    if (name === String(process.pid)) return false
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
    if (Date.now() - mtimeMs < staleAfterMs && isRunning(Number(name))) return true
    rmSync(join(folder, name), { force: true })
    return false
  })
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
