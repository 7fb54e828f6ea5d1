import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { findInstalledPackage, prepareBinaries } from '../src/binaries.ts'
import { hasAccess, prepareLocation } from '../src/location.ts'
import { openEmbeddedPostgres } from './setup.ts'
import { homeOf, isRoot, ordinaryUser, run, serverPid, startHolder, temporaryDirectory } from './support.ts'

test('library links that the installation lacks are made in it', () => {
  const home = temporaryDirectory()
  const packageDir = packageWithoutLinks(home)
  const binaries = prepareBinaries({ home, runAs: undefined }, packageDir)
  expect(dirname(binaries.postgres)).toBe(join(packageDir, 'native', 'bin'))
  expect(binaries.majorVersion).toBe('18')
  expect(execFileSync(binaries.initdb, ['--version'], { encoding: 'utf8' })).toContain('PostgreSQL) 18.')
})

test('an installation that the user may not write to is copied and completed in the data directory', async () => {
  const directory = temporaryDirectory()
  const packageDir = packageWithoutLinks(directory)
  const user = ordinaryUser()
  // Root may write anywhere; where no other user can take its part, an unreadable installation calls for the copy.
  if (isRoot && !user) chmodSync(packageDir, 0o700)
  else execFileSync('find', [packageDir, '-type', 'd', '-exec', 'chmod', 'a-w', '{}', '+'])
  const dataDir = join(directory, 'data')
  mkdirSync(dataDir)
  if (user) execFileSync('chown', [`${user.uid}:${user.gid}`, dataDir])
  const holder = startHolder({ dataDir, packageDir }, user)
  const { url } = await holder.opened
  expect(await run(url, 'select 1 as one')).toEqual([{ one: 1 }])
  const owner = statSync(join(dataDir, 'postgres', 'cluster', 'secret')).uid
  expect(owner).toBe(user?.uid ?? process.getuid?.())
  expect(serverPid(dataDir)).toBeGreaterThan(0)
  expect(await holder.release()).toEqual({ released: true })
  expect(lstatSync(join(packageDir, 'native/lib/libpq.so.5'), { throwIfNoEntry: false })).toBeUndefined()
})

test('a data directory and an installation below a closed folder work', async () => {
  const directory = temporaryDirectory()
  const closed = join(directory, 'closed')
  mkdirSync(closed)
  const packageDir = packageWithoutLinks(closed)
  chmodSync(closed, 0o700)
  const options = { dataDir: join(closed, 'data'), packageDir, reachableHomes: join(directory, 'homes') }
  const first = await openEmbeddedPostgres(options)
  await run(first.url, "create table kept as select 'aurora' as word")
  await first.release()
  const second = await openEmbeddedPostgres(options)
  expect(await run(second.url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await second.release()
  const entry = join(options.dataDir, 'postgres')
  if (isRoot) {
    expect(readlinkSync(entry)).toBe(homeOf(options.dataDir))
    expect(dirname(homeOf(options.dataDir))).toBe(options.reachableHomes)
    expect(statSync(closed).mode & 0o777).toBe(0o700)
  } else expect(lstatSync(entry).isDirectory()).toBe(true)
})

test('a database that lay elsewhere and is gone is not silently replaced by an empty one', async () => {
  const dataDir = temporaryDirectory()
  symlinkSync(join(dataDir, 'gone'), join(dataDir, 'postgres'))
  await expect(openEmbeddedPostgres({ dataDir })).rejects.toThrow(`${join(dataDir, 'gone')}, which is gone: restore it`)
})

test('two places made at once below a closed folder are one', () => {
  const directory = temporaryDirectory()
  const closed = join(directory, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const homes = join(directory, 'homes')
  const location = prepareLocation(join(closed, 'data'), homes)
  expect(prepareLocation(join(closed, 'data'), homes)).toEqual(location)
})

test('a folder for closed data directories that others may write to is refused', () => {
  const directory = temporaryDirectory()
  const closed = join(directory, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const homes = join(directory, 'homes')
  mkdirSync(homes)
  chmodSync(homes, 0o777)
  const prepare = () => prepareLocation(join(closed, 'data'), homes)
  if (isRoot) expect(prepare).toThrow(`${homes} must be a directory that only root can write to`)
  else expect(prepare().home).toBe(join(closed, 'data', 'postgres'))
})

test('the owner of a data directory can go on with it after root has used it', async () => {
  const directory = temporaryDirectory()
  const dataDir = join(directory, 'data')
  mkdirSync(dataDir)
  const user = ordinaryUser()
  if (user) execFileSync('chown', [`${user.uid}:${user.gid}`, dataDir])
  const before = startHolder({ dataDir }, user)
  await before.opened
  await before.release()
  const meanwhile = await openEmbeddedPostgres({ dataDir })
  await run(meanwhile.url, "create table kept as select 'aurora' as word")
  const after = startHolder({ dataDir }, user)
  expect(await after.opened).toMatchObject({ adopted: true })
  await meanwhile.release()
  await after.release()
  const again = startHolder({ dataDir }, user)
  const { url, adopted } = await again.opened
  expect(adopted).toBe(false)
  expect(await run(url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await again.release()
})

test('reachable means that every folder above can be passed', () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'a', 'b', 'file')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  const stranger = { uid: 54_321, gid: 54_321 }
  chmodSync(file, 0o644)
  for (const folder of ['a', 'a/b']) chmodSync(join(directory, folder), 0o711)
  expect(hasAccess(file, stranger, 0o4)).toBe(true)
  expect(hasAccess(file, stranger, 0o2)).toBe(false)
  expect(hasAccess(join(directory, 'a'), stranger, 0o4)).toBe(false)
  expect(hasAccess(join(directory, 'missing'), stranger, 0)).toBe(false)
  chmodSync(join(directory, 'a'), 0o700)
  expect(hasAccess(file, stranger, 0o4)).toBe(false)
  const { uid } = statSync(file)
  expect(hasAccess(file, { uid, gid: 54_321 }, 0o6)).toBe(true)
})

/** The installed package as it is when install scripts were blocked; its files are shared where the disk allows it. */
function packageWithoutLinks(directory: string): string {
  const packageDir = join(directory, 'package')
  const installed = findInstalledPackage()
  for (const entry of readdirSync(installed, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name)
    const to = join(packageDir, relative(installed, from))
    mkdirSync(dirname(to), { recursive: true })
    if (!entry.isFile()) continue
    try {
      linkSync(from, to)
    } catch {
      cpSync(from, to) // another disk, or another user's files
    }
  }
  return packageDir
}
