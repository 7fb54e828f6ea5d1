import { execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedPostgres } from './setup.ts'
import {
  copyDirectory,
  homeOf,
  ordinaryUser,
  packageWithScript,
  run,
  seededDataDirs,
  serverPid,
  startHolder,
  temporaryDirectory,
  until,
} from './support.ts'

const seeded = seededDataDirs()

const user = ordinaryUser()

test('the user who runs PostgreSQL reaches it by a socket in a folder of its own, with the password, until the last leaves', async () => {
  const dataDir = dataDirNamed('100% "so, called" data')
  const holder = startHolder({ dataDir }, user)
  const { url } = await holder.opened
  const folder = join(homeOf(dataDir), 'socket')
  expect(socketFolder(url)).toBe(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(await run(url, peer)).toEqual([{ address: null }])
  expect(await run(loopbackUrl(url), peer)).toEqual([{ address: '127.0.0.1' }])
  await expect(run(url.replace(/:[\w-]{43}@/, ':guessed@'), 'select 1')).rejects.toThrow('password')
  expect(await holder.release()).toEqual({ released: true })
  expect(existsSync(folder)).toBe(false)
})

test('two who start at once are given one socket', async () => {
  const dataDir = dataDirNamed('data')
  const holders = [startHolder({ dataDir }, user), startHolder({ dataDir }, user)] as const
  const [one, two] = await Promise.all(holders.map((holder) => holder.opened))
  expect([one!.adopted, two!.adopted].sort()).toEqual([false, true])
  expect(socketFolder(one!.url)).toBe(join(homeOf(dataDir), 'socket'))
  expect(two!.url).toBe(one!.url)
  await holders[0].release()
  expect(await run(two!.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await holders[1].release()
})

test('after kill -9 of everybody the socket is made anew, though its lock file names a process that lives', async () => {
  const dataDir = dataDirNamed('data')
  const before = startHolder({ dataDir }, user)
  const { url } = await before.opened
  process.kill(serverPid(dataDir)!, 'SIGKILL')
  await until(() => serverPid(dataDir) === undefined)
  await before.kill()
  const socket = join(homeOf(dataDir), 'socket', `.s.PGSQL.${new URL(url).port}`)
  expect(existsSync(socket)).toBe(true)
  const stranger = spawn('sleep', ['60'], { ...user, cwd: '/', stdio: 'ignore' })
  onTestFinished(() => void stranger.kill('SIGKILL'))
  writeFileSync(`${socket}.lock`, `${stranger.pid}\n`)
  const after = startHolder({ dataDir }, user)
  expect(await after.opened).toEqual({ url, adopted: false })
  expect(await run(url, 'select 1 as one')).toEqual([{ one: 1 }])
  await after.release()
  expect(existsSync(socket)).toBe(false)
})

test('a data directory whose path is too long for a socket is served over loopback alone', async () => {
  const dataDir = dataDirNamed('long'.repeat(20))
  const holder = startHolder({ dataDir }, user)
  const { url } = await holder.opened
  expect(socketFolder(url)).toBeNull()
  const asked = "select current_setting('unix_socket_directories') as sockets"
  expect(await run(url, asked)).toEqual([{ sockets: '' }])
  await holder.release()
})

test('a server whose socket is missing is joined over loopback', async () => {
  const dataDir = dataDirNamed('data')
  const first = startHolder({ dataDir }, user)
  const { url } = await first.opened
  rmSync(join(homeOf(dataDir), 'socket', `.s.PGSQL.${new URL(url).port}`))
  const second = startHolder({ dataDir }, user)
  expect(await second.opened).toEqual({ url: loopbackUrl(url), adopted: true })
  await first.release()
  await second.release()
})

test('a server that was started without a socket is joined over loopback', async () => {
  const dataDir = dataDirNamed('data')
  const first = startHolder({ dataDir, settings: { unix_socket_directories: '' } }, user)
  const { url } = await first.opened
  expect(socketFolder(url)).toBeNull()
  const second = startHolder({ dataDir }, user)
  expect(await second.opened).toEqual({ url, adopted: true })
  await first.release()
  await second.release()
})

test('where no socket can be made the server starts without', async () => {
  const dataDir = dataDirNamed('data')
  const holder = startHolder({ dataDir, packageDir: packageThatListensIn('/proc') }, user)
  const { url } = await holder.opened
  expect(socketFolder(url)).toBeNull()
  expect(await run(url, peer)).toEqual([{ address: '127.0.0.1' }])
  await holder.release()
})

test('whoever started the server, the user who runs it and root reach it by its socket', async () => {
  const dataDir = dataDirNamed('data')
  const first = await openEmbeddedPostgres({ dataDir })
  expect(socketFolder(first.url)).not.toBeNull()
  expect(await run(first.url, peer)).toEqual([{ address: null }])
  const second = startHolder({ dataDir }, user)
  const { url } = await second.opened
  expect(url).toBe(first.url)
  expect(await run(url, peer)).toEqual([{ address: null }])
  await first.release()
  await second.release()
})

const peer = 'select host(inet_client_addr()) as address'

function socketFolder(url: string): string | null {
  return new URL(url).searchParams.get('host')
}

function loopbackUrl(url: string): string {
  return url.replace(/\?.*/, '')
}

/** A data directory of the user's, with a cluster that is stopped. */
function dataDirNamed(name: string): string {
  const dataDir = join(temporaryDirectory(), name)
  copyDirectory(seeded.shared(), dataDir)
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, dataDir])
  return dataDir
}

/** The installed package, but asked for a socket its server makes it in `folder`. */
function packageThatListensIn(folder: string): string {
  return packageWithScript(
    'postgres',
    (program) => `case "$*" in *'unix_socket_directories="'*) set -- "$@" -c unix_socket_directories=${folder} ;; esac
exec '${program}' "$@"`,
  )
}
