import { describe, expect, test } from 'vitest'
import { expectOnlyKnown } from './support/exceptions.ts'
import type { SourceFacts } from './support/facts.ts'
import { isDuration, parse } from './support/parse.ts'
import { filesIn, isTestPath } from './support/tree.ts'

interface Rule {
  rule: string
  find: (facts: SourceFacts) => string[]
  /** What the rule has to see. */
  seen: string[]
  /** What it must leave alone. */
  unseen: string[]
  /** Files that do it all the same, for the reason beside them. This list only gets shorter. */
  known?: string[]
}

const waits = /^(delay|wait|sleep|setTimeout|timers\.setTimeout)$/

const rules: Rule[] = [
  {
    rule: 'no fixed wait in a test: wait for the event, or poll for what is promised',
    find: ({ path, calls }) =>
      calls
        .filter(
          ({ name, context, within, args }) =>
            (waits.test(name) && context === 'awaited' && args[0]?.kind !== 'function' && path.endsWith('.test.ts')) ||
            (name === 'setTimeout' && within === 'new Promise' && args[1]?.kind === 'number'),
        )
        .map(({ name }) => `${name}()`),
    seen: ['await delay(100)', 'await setTimeout(20)', 'await new Promise((resolve) => setTimeout(resolve, 50))'],
    unseen: [
      'await expect.poll(read).toBe(1)',
      'const timer = setTimeout(() => stop(), 1_000)',
      'await Promise.race([work, delay(100)])',
    ],
    known: [
      // A reader that is slow on purpose, so that the writer has to wait for it.
      'client/test/download.test.ts sleep()',
      // The other process must be seen to wait while this one holds what it wants.
      'packages/process-lock/test/lock.test.ts delay()',
      // Between two looks at what changes, until a deadline.
      'server/test/customers/billing/local/standin.test.ts delay()',
      'server/test/customers/billing/stripe/requests.test.ts delay()',
      // Lets other work of this process have its turn.
      'packages/search-index/test/build.random.unit.test.ts delay()',
      'server/test/promises/crash/search/files.deep.test.ts delay()',
      // Moments of kills and retries, chosen at random.
      'server/test/catalogue/imports/interruptions.random.test.ts delay()',
      'server/test/promises/clients/fault-proxy.test.ts wait()',
      'server/test/promises/clients/limits.test.ts wait()',
      'server/test/promises/crash/crash.deep.test.ts delay()',
      'server/test/promises/crash/retries.random.test.ts delay()',
      'server/test/promises/crash/search/kills.random.test.ts delay()',
      'server/test/promises/crash/search/service.deep.test.ts delay()',
      // Replies that take their time, so that what must not overlap them could.
      'server/test/customers/billing/support/fake-stripe-app.ts setTimeout()',
      'server/test/customers/billing/sync/reconcile.test.ts setTimeout()',
      'server/test/foundation/http/hostile.test.ts setTimeout()',
      // Before a refused request is sent again.
      'server/test/promises/crash/support/load.ts setTimeout()',
      // Nothing more happens: there is no event to wait for.
      'server/test/search/taxonomy/taxonomy.test.ts setTimeout()',
    ],
  },
  {
    rule: 'no duration is asserted: assert what was done, not how long it took',
    find: ({ calls, durations }) =>
      calls
        .filter(({ subject }) => subject !== undefined && (durations.has(subject) || isDuration(subject)))
        .map(({ name }) => name),
    seen: [
      'const took = performance.now() - start; expect(took).toBeLessThan(50)',
      'expect(Date.now() - start).toBeLessThan(5_000)',
    ],
    unseen: ['const took = performance.now() - start; console.log(took)', 'expect(left - right).toBe(2)'],
  },
  {
    rule: 'no fixed port: port 0, and ask for the address',
    find: ({ calls }) =>
      calls
        .filter(({ name, args }) => /(^|\.)listen$/.test(name) && args.some(isPort))
        .map(({ name, args }) => `${name}(${args[0]!.text})`),
    seen: ['server.listen(8080)', "await app.listen({ port: 3000, host: '127.0.0.1' })"],
    unseen: ['server.listen(0)', "await app.listen({ port: 0, host: '127.0.0.1' })", 'server.listen(path)'],
  },
  {
    // Between the look for a free port and its use, another process may take it.
    rule: 'a free port is only looked for where a program must be told one before it starts',
    find: ({ calls }) => calls.filter(({ name }) => name === 'pickFreePort').map(({ name }) => name),
    seen: ['const port = await pickFreePort()'],
    unseen: ['const port = address(server)'],
    known: [
      'packages/embedded-postgres/test/start.test.ts pickFreePort',
      'server/test/customers/billing/stripe/requests.test.ts pickFreePort',
      'server/test/customers/billing/support/service-process.ts pickFreePort',
      'server/test/deep/failover/support/haproxy.ts pickFreePort',
      'server/test/deep/failover/support/pgbouncer.ts pickFreePort',
      'server/test/deep/failover/support/servers.ts pickFreePort',
      'server/test/deep/start/command.test.ts pickFreePort',
      'server/test/deep/start/serve.test.ts pickFreePort',
      'server/test/deep/start/workers.test.ts pickFreePort',
      'server/test/promises/browser/pages/billing.looks.test.ts pickFreePort',
      'server/test/support/postgres.ts pickFreePort',
      'server/test/support/programs/program.ts pickFreePort',
    ],
  },
  {
    // A busy machine reaches the service's own limits of time.
    rule: 'servers and commands of tests are opened by openTestDeps, which lets searches take their time',
    find: ({ calls }) => calls.filter(({ name }) => name === 'openDeps').map(({ name }) => name),
    seen: ["const deps = await openDeps(config, { applicationName: 'second' })"],
    unseen: ['const deps = await openTestDeps(config)', 'await cli.openDeps()'],
    known: ['server/test/support/deps.ts openDeps'],
  },
  {
    // An app sends statements by itself, whenever they are due.
    rule: 'what requests send to the database is recorded by watchStatements, which leaves out background work',
    find: ({ calls }) =>
      calls
        .filter(
          ({ name, args }) => name === 'vi.spyOn' && args[0]?.text === 'Lane.prototype' && /query/.test(args[1]!.text),
        )
        .map(({ name }) => name),
    seen: ["const query = vi.spyOn(Lane.prototype, 'query')"],
    unseen: ['const statements = watchStatements(app.deps.db)', "vi.spyOn(Lane.prototype, 'untilAborted')"],
    known: [
      // Fails them.
      'server/test/customers/auth/made-up-keys.test.ts vi.spyOn',
      'server/test/support/statements/watch.ts vi.spyOn',
    ],
  },
  {
    // Of other promises the linter says it: noFloatingPromises.
    rule: 'what is expected of a promise is awaited',
    find: ({ calls }) =>
      calls
        .filter(
          ({ name, context }) =>
            context === 'dropped' && /^expect\.poll|^expect(\.soft)?\(\)\.(resolves|rejects)/.test(name),
        )
        .map(({ name }) => name),
    seen: ['expect.poll(read).toBe(1)', 'expect(work).rejects.toThrow()', 'void expect(work).resolves.not.toBe(1)'],
    unseen: [
      'await expect.poll(read).toBe(1)',
      'const check = expect(work).rejects.toThrow()',
      'expect(read()).toBe(1)',
    ],
  },
  {
    rule: 'no test is left alone or left out',
    find: ({ calls }) =>
      calls
        .filter(({ name }) => /^(test|it|describe|bench)\b.*\.(only|skip|todo|fails)\b/.test(name))
        .map(({ name }) => name),
    seen: ["test.only('this', run)", "describe.skip('that', run)", "test.for([]).only('this', run)"],
    unseen: ["test.skipIf(!chromium)('this', run)", "test.runIf(haproxy)('this', run)"],
  },
  {
    rule: 'a test that fails is not simply run again',
    find: ({ calls }) =>
      calls
        .filter(
          ({ name, args }) =>
            /^(test|it|describe)\b/.test(name) && args.some(({ text }) => /^\{[^}]*\bretry:/.test(text)),
        )
        .map(() => 'retry'),
    seen: ["test('this', { retry: 3 }, run)"],
    unseen: ["test('this', { timeout: 3_000 }, run)", "test('this', () => send({ retry: 3 }))"],
  },
]

function isPort({ kind, text }: { kind: string; text: string }): boolean {
  return (kind === 'number' && text !== '0') || /\bport: *[1-9]/.test(text)
}

describe.each(rules)('$rule', ({ find, seen, unseen, known = [] }) => {
  const tests = filesIn('').filter(({ path }) => isTestPath(path))

  test('everywhere, except what is on the list', () => {
    expect(tests.length).toBeGreaterThan(300)
    expectOnlyKnown(
      tests.flatMap((facts) => find(facts).map((it) => `${facts.path} ${it}`)),
      known,
    )
  })

  test.each(seen)('%s is seen', (text) => {
    expect(find(parse('planted.test.ts', text))).not.toEqual([])
  })

  test.each(unseen)('%s is left alone', (text) => {
    expect(find(parse('planted.test.ts', text))).toEqual([])
  })
})
