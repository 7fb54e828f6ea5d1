import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { registerUser, unregisterUser } from '../../embedded-postgres/src/users.ts'
import { temporaryDirectory } from '../../embedded-postgres/test/support.ts'
import { withLock } from '../src/lock.mjs'
import { inspectProcess, isMarkAlive, markOfThisProcess } from '../src/processes.mjs'

const timeoutMs = 20_000

test('processes that count under the lock lose no count', async () => {
  const directory = temporaryDirectory()
  const counter = join(directory, 'counter')
  writeFileSync(counter, '0')
  const script = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import { withLock } from ${JSON.stringify(join(import.meta.dirname, '../src/lock.mjs'))}
    const [directory, counter] = process.argv.slice(1)
    for (let turn = 0; turn < 8; turn++) {
      await withLock(directory, async () => {
        const before = Number(readFileSync(counter, 'utf8'))
        await new Promise((resolve) => setTimeout(resolve, 2))
        writeFileSync(counter, String(before + 1))
      }, ${timeoutMs})
    }`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script, directory, counter]
  const codes = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' })
      return (await once(child, 'exit'))[0]
    }),
  )
  expect(codes).toEqual([0, 0, 0])
  expect(readFileSync(counter, 'utf8')).toBe('24')
})

test('the lock excludes within one process too, and is free again after a failure', async () => {
  const directory = temporaryDirectory()
  const order: string[] = []
  const slow = withLock(
    directory,
    async () => {
      order.push('first in')
      await delay(60)
      order.push('first out')
      throw new Error('the work failed')
    },
    timeoutMs,
  )
  const quick = withLock(directory, async () => order.push('second in'), timeoutMs)
  await expect(slow).rejects.toThrow('the work failed')
  await quick
  expect(order).toEqual(['first in', 'first out', 'second in'])
})

test('a holder that died, or whose process id was given to another, is followed', async () => {
  const directory = temporaryDirectory()
  symlinkSync(`${await deadPid()} some time ago`, join(directory, 'lock.6'))
  await withLock(directory, async () => {}, timeoutMs)
  symlinkSync(`${process.pid} another time`, join(directory, 'lock.90'))
  await withLock(directory, async () => {}, timeoutMs)
  expect(readdirSync(directory)).toEqual(['lock.92'])
})

test('a holder that lives is waited for within a bound, and named', async () => {
  const directory = temporaryDirectory()
  symlinkSync(markOfThisProcess(), join(directory, 'lock.1'))
  await expect(withLock(directory, async () => {}, 30)).rejects.toThrow(`Process ${process.pid} `)
})

test('a number that was passed long ago does not count as the lock', async () => {
  const directory = temporaryDirectory()
  symlinkSync(markOfThisProcess(), join(directory, 'lock.9'))
  symlinkSync('free', join(directory, 'lock.3'))
  await expect(withLock(directory, async () => {}, 30)).rejects.toThrow(`Process ${process.pid} `)
})

test('a zombie counts as dead', async () => {
  const parent = spawn('/bin/sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
  for (let waits = 0; inspectProcess(Number(line)) && waits < 500; waits++) await delay(10)
  expect(() => process.kill(Number(line), 0)).not.toThrow()
  expect(inspectProcess(Number(line))).toBeUndefined()
})

test('a mark names one process for good', async () => {
  expect(isMarkAlive(markOfThisProcess())).toBe(true)
  expect(isMarkAlive(`${process.ppid} ${inspectProcess(process.ppid)?.startedAt}`)).toBe(true)
  expect(isMarkAlive(`${process.ppid} another time`)).toBe(false)
  expect(isMarkAlive(`${await deadPid()} undefined`)).toBe(false)
  expect(isMarkAlive('no mark at all')).toBe(false)
})

test('users are counted while they live', async () => {
  const home = temporaryDirectory()
  const place = { home, runAs: undefined }
  const [first, second] = [registerUser(place), registerUser(place)]
  const dead = join(home, 'users', '1-dead')
  symlinkSync(`${await deadPid()} some time ago`, dead)
  expect(unregisterUser(place, first)).toBe(true)
  expect(existsSync(dead)).toBe(false)
  expect(unregisterUser(place, second)).toBe(false)
  mkdirSync(join(home, 'elsewhere'))
  expect(unregisterUser({ ...place, home: join(home, 'elsewhere') }, second)).toBe(false)
})

async function deadPid(): Promise<number> {
  const child = spawn('true')
  await once(child, 'exit')
  return child.pid!
}
