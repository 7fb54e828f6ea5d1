import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/operations/config.ts'
import { chooseFreePort } from '../../../src/program/serving/port.ts'

const config = readConfig({}, '/')

/** A free port with a listener on it. */
async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a taken default port is replaced', async () => {
  const port = await takenPort()
  const chosen = await chooseFreePort({ ...config, port, isPortGiven: false })
  expect(chosen).toBeGreaterThan(0)
  expect(chosen).not.toBe(port)
})

test('a taken port in PORT is an error', async () => {
  const port = await takenPort()
  await expect(chooseFreePort({ ...config, port, isPortGiven: true })).rejects.toThrow(`Port ${port} is taken: `)
})

test('port 0 is any free port', async () => {
  expect(await chooseFreePort({ ...config, port: 0, isPortGiven: true })).toBeGreaterThan(0)
})

test('an address that this machine does not have is an error', async () => {
  const asked = { ...config, host: '192.0.2.1', port: 0, isPortGiven: true }
  await expect(chooseFreePort(asked)).rejects.toThrow(/192\.0\.2\.1.*does not have the address/)
})
