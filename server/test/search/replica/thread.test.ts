import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PlainStore } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { searchThreadProgram } from '../../../src/bin/programs.ts'
import { runInThread, startThread } from '../../../src/search/replica/thread.ts'
import { createReplicaWorld, expectSame, follow, temporaryFolder } from '../support/replica-world.ts'

const stores: PlainStore[] = Array.from({ length: 300 }, (_, index) => ({
  id: index + 1,
  negatedScore: -(index % 7),
  activeAds: index,
  created: index * 1_000,
  discovered: null,
  tokens: [1, 2 + (index % 50)],
  contacts: [{ role: 7, traits: index % 24, number: index }],
}))

/** A thread that dies when the file appears, and takes it along. */
function mortal(file: string) {
  const { file: program, execArgv } = searchThreadProgram()
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

test('a thread reads, follows and merges; what it shows is shared, not copied; after its death there is another', async () => {
  const world = await createReplicaWorld()
  await world.write('live', stores)
  const poison = join(temporaryFolder(), 'poison')
  const following = follow(world, { start: runInThread(mortal(poison)), timings: { asideStores: 100 } })
  const first = await following.reaches(1)
  expectSame(first, world)
  expect(first.shelves.live[0]!.segment.ids.buffer).toBeInstanceOf(SharedArrayBuffer)

  const second = await following.reaches(
    await world.write(
      'live',
      stores.slice(0, 5).map((store) => ({ ...store, activeAds: 9 })),
    ),
  )
  expectSame(second, world)
  // What did not change is the same object still.
  expect(second.shelves.live[0]!.segment).toBe(first.shelves.live[0]!.segment)

  // So much that all is merged, in a thread of its own.
  await world.write(
    'live',
    stores.slice(0, 200).map((store) => ({ ...store, tokens: [4] })),
  )
  await expect.poll(() => following.view()?.shelves.live.length, { timeout: 20_000 }).toBe(1)
  expectSame(following.view()!, world)

  writeFileSync(poison, '')
  await expect.poll(() => following.view()).toBe(null)
  expect(existsSync(poison)).toBe(false)
  expect(following.lines).toContain(
    'error: the thread of the search index died; PostgreSQL answers until another one is ready (somebody killed it)',
  )
  expectSame(await following.reaches(await world.write('live', stores.slice(0, 5))), world)
  await following.feed.close()
  const { rows } = await world.db.query(
    `select from pg_stat_activity where application_name = 'storedex search' and datname = current_database()`,
  )
  expect(rows).toEqual([])
})

test.each([
  ['its program is missing', 'nothing.js', [], /Cannot find module/],
  ['the system gives none', 'any.js', ['--no-such-option'], /--no-such-option/],
])('a thread that cannot start since %s is told of, and closing does not wait for the next try', async (...start) => {
  const [, name, execArgv, reason] = start
  const world = await createReplicaWorld()
  const program = { file: join(temporaryFolder(), name), execArgv }
  const following = follow(world, { start: runInThread(program) })
  await expect.poll(() => following.lines.length).toBe(1)
  expect(following.lines[0]).toMatch(/^error: the thread of the search index died/)
  expect(following.lines[0]).toMatch(reason)
  await following.feed.close()
})

test('a thread knows nothing of the environment', async () => {
  const file = join(temporaryFolder(), 'tell.mjs')
  writeFileSync(file, `import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ ...process.env })`)
  const thread = startThread({ file, execArgv: [] }, { kind: 'merge', parts: [] })
  expect(await new Promise((resolve) => thread.once('message', resolve))).toEqual({})
})
