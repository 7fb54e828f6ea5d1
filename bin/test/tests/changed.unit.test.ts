import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { orderTests } from '../../tests/changed.mjs'

const project = resolve(import.meta.dirname, '../../..')

test.for([
  ['server/src/customers/auth/audit.ts', 'server/test/customers/auth/'],
  ['server/src/program/bin/server.ts', 'server/test/program/'],
  ['server/src/customers/billing/links/link.ts', 'server/test/customers/billing/links/'],
  ['server/src/program/app.ts', 'server/test/program/app/'],
  ['server/src/operations/config.ts', 'server/test/operations/config'],
  ['server/src/operations/deps.ts', 'server/test/operations/deps/'],
  ['server/migrations/0001_start.sql', 'server/test/foundation/db/'],
  ['server/test/customers/usage/support/spend.ts', 'server/test/customers/usage/'],
  ['catalogue/build/demo/stores.ts', 'catalogue/test/'],
  ['console/src/pages/keys/page.tsx', 'server/test/promises/browser/'],
  ['packages/search-index/src/scan/resolve.ts', 'packages/search-index/test/'],
  ['client/src/transport/request.ts', 'client/test/'],
])('a change in %s leads to tests in %s', ([changed, folder]) => {
  const tests = orderTests(project, [changed!])
  expect(tests[0]).toContain(folder)
  expect(tests.filter((path) => !existsSync(join(project, path)))).toEqual([])
})

test('a test with the name of the changed file comes first, and a changed test before all', () => {
  expect(orderTests(project, ['server/src/foundation/kernel/ids.ts'])[0]).toBe(
    'server/test/foundation/kernel/ids.random.unit.test.ts',
  )
  const changed = ['server/src/foundation/kernel/ids.ts', 'server/test/foundation/http/pages.test.ts']
  expect(orderTests(project, changed).slice(0, 2).sort()).toEqual([
    'server/test/foundation/http/pages.test.ts',
    'server/test/foundation/kernel/ids.random.unit.test.ts',
  ])
})

test('deep tests are left to their own run', () => {
  const tests = orderTests(project, ['server/src/product/contacts/reveal-contacts.ts', 'drill/scenario.ts'])
  expect(tests.length).toBeGreaterThan(0)
  expect(tests.filter((path) => /\.deep\.|\/deep\//.test(path))).toEqual([])
})

test('a change that no test belongs to leads to none', () => {
  expect(orderTests(project, ['README.md', 'docs/api.md'])).toEqual([])
})
