import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serverPid, temporaryDirectory } from '../../../../packages/embedded-postgres/test/support.ts'
import { linesUpToCurl, runShell, startService } from '../../deep/start/support/service.ts'

test('the first start answers requests; Ctrl-C leaves no process behind', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const first = startService({ DATA_DIR: dataDir }, [])
  const lines = await linesUpToCurl(first)
  const [api] = /http:\S+\/api\/v1$/.exec(lines.find((line) => line.includes('API'))!)!
  expect(lines.join('\n')).toContain(dataDir)
  expect(JSON.parse(await runShell(lines.at(-1)!))).toMatchObject({ object: 'store', domain: 'aurora-candles.example' })
  expect((await fetch(api.replace('/api/v1', '/readyz'))).status).toBe(200)
  first.interrupt()
  expect(await first.exitCode()).toBe(0)
  expect(serverPid(dataDir)).toBeUndefined()
})
