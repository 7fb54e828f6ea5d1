import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { threadProgram } from '../../../src/program/serving/programs.ts'
import { runInThread, startThread } from '../../../src/search/replica/thread.ts'
import { createReplicaWorld, expectSame, startTestReplica, temporaryFolder } from '../support/replica-world.ts'

const stores: PlainStore[] = Array.from({ length: 300 }, (_, index) => ({
  id: index + 1,
  negatedScore: -(index % 7),
  activeAds: index,
  created: index * 1_000,
  discovered: null,
  tokens: [1, 2 + (index % 50)],
  contacts: [{ role: 7, traits: index % 24, number: index }],
}))

/** A thread that dies when the file appears, and deletes it. */
function mortal(file: string) {
  const { file: program, execArgv } = threadProgram('search-thread')
  const code = `
    import { existsSync, unlinkSync } from 'node:fs'
    const look = () => {
      if (!existsSync(${JSON.stringify(file)})) return
      unlinkSync(${JSON.stringify(file)})
      throw new Error('somebody killed it')
    }
    setInterval(look, 10).unref()`
  return { file: program, execArgv: [...execArgv, '--import', `data:text/javascript,${encodeURIComponent(code)}`] }
}

test('a thread loads, syncs and merges; its views are shared, not copied; when it dies, another starts', async () => {
  const world = await createReplicaWorld()
  await world.write('live', stores)
  const poison = join(temporaryFolder(), 'poison')
  const running = startTestReplica(world, {
    start: runInThread(mortal(poison)),
    timings: { backgroundMergeStores: 100 },
  })
  const first = await running.waitForBatch(1)
  expectSame(first, world)
  expect(first.lists.live[0]!.segment.ids.buffer).toBeInstanceOf(SharedArrayBuffer)

  const second = await running.waitForBatch(
    await world.write(
      'live',
      stores.slice(0, 5).map((store) => ({ ...store, activeAds: 9 })),
    ),
  )
  expectSame(second, world)
  // An unchanged segment is the same object.
  expect(second.lists.live[0]!.segment).toBe(first.lists.live[0]!.segment)

  // Enough stores for a full merge in a thread of its own.
  await world.write(
    'live',
    stores.slice(0, 200).map((store) => ({ ...store, tokens: [4] })),
  )
  await expect.poll(() => running.view()?.lists.live.length, { timeout: 20_000 }).toBe(1)
  expectSame(running.view()!, world)

  writeFileSync(poison, '')
  // Perhaps there is a new one already.
  await expect.poll(() => running.views).toContain(null)
  expect(existsSync(poison)).toBe(false)
  expect(running.lines).toContain(
    'error: the search index thread died; PostgreSQL answers until a new one is ready (somebody killed it)',
  )
  expectSame(await running.waitForBatch(await world.write('live', stores.slice(0, 5))), world)
  await running.replica.close()
  const { rows } = await world.db.query(
    `select from pg_stat_activity where application_name = 'storedex search' and datname = current_database()`,
  )
  expect(rows).toEqual([])
})

test.each([
  ['its program is missing', 'nothing.js', [], /Cannot find module/],
  ['the system gives none', 'any.js', ['--no-such-option'], /--no-such-option/],
])('a thread that cannot start since %s is reported, and closing does not wait for the next try', async (...start) => {
  const [, name, execArgv, reason] = start
  const world = await createReplicaWorld()
  const program = { file: join(temporaryFolder(), name), execArgv }
  const running = startTestReplica(world, { start: runInThread(program) })
  await expect.poll(() => running.lines.length).toBe(1)
  expect(running.lines[0]).toMatch(/^error: the search index thread died/)
  expect(running.lines[0]).toMatch(reason)
  await running.replica.close()
})

test('a thread gets no environment variables', async () => {
  const file = join(temporaryFolder(), 'tell.mjs')
  writeFileSync(file, `import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ ...process.env })`)
  const thread = startThread({ file, execArgv: [] }, { kind: 'merge', parts: [] })
  expect(await new Promise((resolve) => thread.onMessage(resolve))).toEqual({})
})
