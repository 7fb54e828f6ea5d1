import { spawn } from 'node:child_process'
import { chownSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepRunning } from '../src/supervisor.ts'
import { openEmbeddedPostgres } from './setup.ts'
import {
  copyDirectory,
  homeOf,
  packageWithScript,
  run,
  seededDataDirs,
  serverPid,
  startHolder,
  temporaryDirectory,
  until,
} from './support.ts'

const seeded = seededDataDirs()

test('two first starts at once make one server, which stops with the second of them', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const holders = [startHolder({ dataDir }), startHolder({ dataDir })] as const
  const [one, two] = await Promise.all(holders.map((holder) => holder.opened))
  expect([one!.adopted, two!.adopted].sort()).toEqual([false, true])
  expect(one!.url).toBe(two!.url)
  expect(await holders[0].release()).toEqual({ released: true })
  expect(await run(two!.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await holders[1].release()).toEqual({ released: true })
  expect(serverPid(dataDir)).toBeUndefined()
})

test('a command beside a server leaves it running; after kill -9 its server is adopted, and stopped by the last to leave', async () => {
  const dataDir = seeded.shared()
  const server = startHolder({ dataDir })
  const { url } = await server.opened
  const command = await openEmbeddedPostgres({ dataDir })
  expect(command).toMatchObject({ adopted: true, url })
  await command.release()
  expect(await run(url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await server.kill()
  const orphan = serverPid(dataDir)
  expect(orphan).toBeGreaterThan(0)
  const next = await openEmbeddedPostgres({ dataDir })
  expect(next).toMatchObject({ adopted: true, url })
  expect(serverPid(dataDir)).toBe(orphan)
  await next.release()
  expect(serverPid(dataDir)).toBeUndefined()
})

test('Ctrl-C reaches the whole group and yet the server is stopped last, in order', async () => {
  const dataDir = seeded.shared()
  const holder = startHolder({ dataDir })
  await holder.opened
  holder.interruptGroup()
  expect(await holder.next()).toEqual({ answered: true })
  expect(await holder.next()).toEqual({ released: true })
  expect(serverPid(dataDir)).toBeUndefined()
})

test('after kill -9 of PostgreSQL the next start recovers what was committed', async () => {
  const dataDir = seeded.copy()
  const before = await openEmbeddedPostgres({ dataDir })
  await run(before.url, "insert into kept values ('basalt')")
  process.kill(serverPid(dataDir)!, 'SIGKILL')
  await until(() => serverPid(dataDir) === undefined)
  const after = await openEmbeddedPostgres({ dataDir })
  expect(after.adopted).toBe(false)
  expect(await run(after.url, 'select word from kept order by word')).toEqual([{ word: 'aurora' }, { word: 'basalt' }])
  // The user of the server that died is still there, and releasing now ends the new one with the last of both.
  await after.release()
  expect(serverPid(dataDir)).toBeGreaterThan(0)
  await before.release()
  expect(serverPid(dataDir)).toBeUndefined()
})

test('a server that dies under who needs it is started again at the same address', async () => {
  const dataDir = seeded.copy()
  const told: string[] = []
  const opened: string[] = []
  const held = await keepRunning(() => openEmbeddedPostgres({ dataDir, log: (line) => opened.push(line) }), {
    intervalMs: 20,
    log: (line) => told.push(line),
  })
  onTestFinished(() => held.release())
  for (const [index, word] of ['basil', 'cedar'].entries()) {
    const pid = serverPid(dataDir)!
    await run(held.url, 'insert into kept values ($1)', [word])
    process.kill(pid, 'SIGKILL')
    // A server that dies while it is being opened again is not told of.
    await until(() => opened.length === index + 2)
    expect(await run(held.url, 'select word from kept where word = $1', [word])).toHaveLength(1)
  }
  expect(told).toEqual(Array(2).fill('PostgreSQL has died and is started again'))
  await held.release()
  expect(serverPid(dataDir)).toBeUndefined()
})

test('a look at the server that fails for want of descriptors starts and ends nothing', async () => {
  const told: string[] = []
  let opened = 0
  let looked = 0
  const isRunning = () => {
    looked++
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' })
  }
  const server = { url: 'postgres://a', urls: ['postgres://a'], adopted: false, isRunning, release: async () => {} }
  const open = async () => {
    opened++
    return server
  }
  const held = await keepRunning(open, { intervalMs: 1, log: (line) => told.push(line) })
  onTestFinished(() => held.release())
  await until(() => looked >= 3)
  expect(opened).toBe(1)
  expect(new Set(told)).toEqual(new Set(['PostgreSQL cannot be started again']))
})

test('a server that is killed again as soon as it is back is not said to be elsewhere', async () => {
  const dataDir = seeded.copy()
  const told: string[] = []
  const held = await keepRunning(() => openEmbeddedPostgres({ dataDir }), {
    intervalMs: 5,
    log: (line) => told.push(line),
  })
  onTestFinished(() => held.release())
  for (let round = 0; round < 6; round++) {
    const pid = serverPid(dataDir)
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
    await until(() => ![undefined, pid].includes(serverPid(dataDir)))
  }
  await until(() =>
    run(held.url, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  expect(told.filter((line) => line.includes('another address'))).toEqual([])
})

test('a server that is just stopping is waited for, then started again', async () => {
  const dataDir = seeded.shared()
  const before = await openEmbeddedPostgres({ dataDir })
  process.kill(serverPid(dataDir)!, 'SIGINT')
  const after = await openEmbeddedPostgres({ dataDir })
  expect(await run(after.url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await before.release()
  await after.release()
})

test('a first start that was killed half way is begun anew', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const home = join(dataDir, 'postgres')
  // It is not done until its starter is gone.
  const packageDir = packageWithScript(
    'initdb',
    (program) => `'${program}' "$@"; while ps -p $PPID > /dev/null; do sleep 0.05; done`,
  )
  const holder = startHolder({ dataDir, packageDir })
  await until(
    () => existsSync(home) && readdirSync(home).some((name) => existsSync(join(home, name, 'data/PG_VERSION'))),
  )
  await holder.kill()
  expect(existsSync(join(home, 'cluster'))).toBe(false)
  const postgres = await openEmbeddedPostgres({ dataDir })
  expect(postgres.adopted).toBe(false)
  expect(await run(postgres.url, 'select current_database() as name')).toEqual([{ name: 'garden' }])
  await postgres.release()
})

test('a postmaster.pid whose process id now belongs to a stranger does not hinder the start', async () => {
  const dataDir = seeded.shared()
  const data = join(homeOf(dataDir), 'cluster', 'data')
  const { uid, gid } = statSync(data)
  const asOwner = process.getuid?.() === 0 ? { uid, gid } : {}
  const stranger = spawn('sleep', ['60'], { ...asOwner, cwd: '/', stdio: 'ignore' })
  onTestFinished(() => void stranger.kill('SIGKILL'))
  const lines = [stranger.pid, data, 1_700_000_000, 5432, '', '127.0.0.1', '        0         0', 'ready   ', '']
  writeFileSync(join(data, 'postmaster.pid'), lines.join('\n'), { mode: 0o600 })
  chownSync(join(data, 'postmaster.pid'), uid, gid)
  const postgres = await openEmbeddedPostgres({ dataDir })
  expect(postgres.adopted).toBe(false)
  expect(await run(postgres.url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await postgres.release()
  expect(stranger.exitCode).toBeNull()
})

test('an empty postmaster.pid, as a power cut leaves it, does not hinder the start', async () => {
  const dataDir = seeded.shared()
  writeFileSync(join(homeOf(dataDir), 'cluster', 'data', 'postmaster.pid'), '')
  const postgres = await openEmbeddedPostgres({ dataDir })
  expect(await run(postgres.url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await postgres.release()
})

test('a copy of a data directory whose server runs gets a server of its own', async () => {
  const dataDir = seeded.copy()
  const original = await openEmbeddedPostgres({ dataDir })
  const copiedDir = join(temporaryDirectory(), 'copy')
  copyDirectory(dataDir, copiedDir)
  const copy = await openEmbeddedPostgres({ dataDir: copiedDir })
  expect(copy.adopted).toBe(false)
  expect(copy.url).not.toBe(original.url)
  await run(copy.url, "insert into kept values ('in the copy')")
  expect(await run(original.url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await copy.release()
  expect(serverPid(dataDir)).toBeGreaterThan(0)
  await original.release()
})

test('a data directory deleted under a running server does not keep it from being stopped', async () => {
  const dataDir = seeded.copy()
  const postgres = await openEmbeddedPostgres({ dataDir })
  rmSync(dataDir, { recursive: true, force: true })
  await postgres.release()
  await expect(run(postgres.url, 'select 1')).rejects.toThrow(/ECONNREFUSED|ENOENT/)
})
