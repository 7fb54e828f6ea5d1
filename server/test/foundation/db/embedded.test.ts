import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDatabaseUnavailable } from '@storedex/pg-lanes/failures'
import { expect, test } from 'vitest'
import { run, temporaryDirectory } from '../../../../packages/embedded-postgres/test/support.ts'
import { openDatabaseServer } from '../../../src/foundation/db/embedded.ts'
import { OperatorError } from '../../../src/foundation/kernel/errors.ts'

test('an unusable data directory is an operator error that names the setting', async () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  const refusal = await openDatabaseServer({ dataDir: file }).catch((error) => error)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal.message).toBe(
    `The data directory ${file} cannot be used as a folder (EEXIST). The setting is DATA_DIR.`,
  )
})

test('a missing socket means an unavailable database, and a missing file does not', async () => {
  const folder = temporaryDirectory()
  const url = `postgres://storedex:guessed@127.0.0.1:1/storedex?host=${encodeURIComponent(folder)}`
  const refusal = await run(url, 'select 1').catch((error) => error)
  expect(refusal).toMatchObject({ code: 'ENOENT', syscall: 'connect' })
  expect(isDatabaseUnavailable(refusal)).toBe(true)
  const missing = await readFile(join(folder, 'missing')).catch((error) => error)
  expect(isDatabaseUnavailable(missing)).toBe(false)
})
