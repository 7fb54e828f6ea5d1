import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const keptBuilds = 3
// Longer than any build takes.
const abandonedAfterMs = 3_600_000

/**
 * The folder `server/dist/<kind>-<hash>`, filled by `build(folder)` unless it exists. A change of the sources makes
 * another folder, and one that a running service was started from stays as it is. Where the checkout cannot be written
 * to, it is a folder that nobody else can write to, gone with the process.
 */
export async function prepareBuild(projectDir, { kind, hash, build }) {
  const existing = findBuild(projectDir, { kind, hash })
  if (existing) return existing
  const parent = join(projectDir, 'server/dist')
  const folder = join(parent, `${kind}-${hash}`)
  const aside = makeAside(parent) ?? makeTemporary(kind)
  try {
    await build(aside)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    throw error
  }
  if (!aside.startsWith(parent)) return aside
  moveIntoPlace(aside, folder)
  removeOld(parent, kind)
  return folder
}

/** The folder of the build with this hash; undefined when there is none. Builds are kept in the order of their last use. */
export function findBuild(projectDir, { kind, hash }) {
  const folder = join(projectDir, 'server/dist', `${kind}-${hash}`)
  if (!existsSync(folder)) return undefined
  const now = new Date()
  try {
    utimesSync(folder, now, now)
  } catch {
    // The checkout is read-only; then nothing is removed either.
  }
  return folder
}

/** The build of this kind that was used last; undefined when there is none. */
export function lastBuild(projectDir, kind) {
  const parent = join(projectDir, 'server/dist')
  return existsSync(parent) ? buildsOf(parent, kind)[0] : undefined
}

/** A hash of files, named from the checkout; of folders, all files in them that match. */
export function hashFiles(projectDir, { files, folders, matching }) {
  const hash = createHash('sha256').update(projectDir)
  const inFolders = folders.flatMap((folder) =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => matching.test(path))
      .map((path) => `${folder}/${path}`),
  )
  for (const path of [...files, ...inFolders].sort())
    hash.update(`\0${path}\0`).update(readFileSync(join(projectDir, path)))
  return hash.digest('hex').slice(0, 16)
}

/** Undefined where the checkout cannot be written to. */
function makeAside(parent) {
  try {
    mkdirSync(parent, { recursive: true })
    return mkdtempSync(join(parent, 'aside-'))
  } catch {
    return undefined
  }
}

function makeTemporary(kind) {
  const folder = mkdtempSync(join(tmpdir(), `storedex-${kind}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function moveIntoPlace(aside, folder) {
  // Made for one's own eyes; whoever may read the checkout may read what it makes.
  chmodSync(aside, 0o755)
  try {
    renameSync(aside, folder)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another starter was quicker, with the same result.
    if (!existsSync(folder)) throw error
  }
}

function removeOld(parent, kind) {
  const old = buildsOf(parent, kind).slice(keptBuilds)
  // Left behind by builds that were killed.
  const abandoned = buildsOf(parent, 'aside').filter((folder) => Date.now() - lastUseOf(folder) > abandonedAfterMs)
  for (const folder of [...old, ...abandoned]) rmSync(folder, { recursive: true, force: true })
}

/** The folders of a kind, the one used last first. */
function buildsOf(parent, kind) {
  const folders = readdirSync(parent).filter((name) => name.startsWith(`${kind}-`))
  return folders.map((name) => join(parent, name)).sort((a, b) => lastUseOf(b) - lastUseOf(a))
}

function lastUseOf(folder) {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
