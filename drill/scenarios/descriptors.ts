import { setTimeout as delay } from 'node:timers/promises'
import { formatMs } from '../client/counts.ts'
import { MisbehavingConnections } from '../client/misbehaving-connections.ts'
import { Probe, timeUntilServed } from '../client/probe.ts'
import { checkInvariants, lookup, openInstallation, requirePostmaster } from '../installation/installation.ts'
import { isAlive } from '../installation/processes.ts'
import type { Scenario } from '../scenario.ts'

const limit = 200
const connectionCount = 400
const recoverWithinMs = 5_000

export const descriptors: Scenario = {
  name: 'descriptors',
  title: 'no file descriptors left',
  expected:
    'the server may have 200 descriptors, and 400 connections come without a key. Neither the server nor its PostgreSQL ends, and it serves again within 5 s of their leaving.',

  async run(drill) {
    const installation = await openInstallation(drill, { descriptors: limit })
    const { service, accounts, domains } = installation
    const postmaster = requirePostmaster(installation)
    const text = lookup(domains[0]!, accounts.modest.key)
    const connections = new MisbehavingConnections({
      origin: service.origin,
      count: connectionCount,
      firstBytes: () => 'GET /healthz HTTP/1.1\r\nhost: drill\r\n',
      repeatedBytes: null,
      repeatEveryMs: 0,
      reads: true,
    })
    drill.cleanup.add(() => connections.close())
    const client = new Probe({ origin: service.origin, text, everyMs: 250, timeoutMs: 5_000 })
    await delay(drill.isShort ? 6_000 : 15_000)
    await client.stop()
    drill.figure('a client with a key meanwhile', String(client.answers))
    const isServing = service.isRunning
    const isStoring = isAlive(postmaster)
    connections.close()
    drill.check('the server runs on', isServing, service.exitStatus)
    drill.check('its PostgreSQL runs on', isStoring, isStoring ? 'the same process' : 'it ended')
    const servedMs = isServing ? await timeUntilServed(service.origin, text, 30_000) : null
    const came = servedMs === null ? 'not within 30 s' : formatMs(servedMs)
    drill.check('it serves again within 5 s of their leaving', servedMs !== null && servedMs <= recoverWithinMs, came)
    await checkInvariants(drill, installation)
  },
}
