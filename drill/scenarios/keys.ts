import { setTimeout as delay } from 'node:timers/promises'
import { newApiKey } from '../../server/src/foundation/kernel/api-key.ts'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { describeLatencies, summarizeLatencies } from '../client/counts.ts'
import { labelOf, requestOnce } from '../client/http-connection.ts'
import { openLoadGenerator } from '../client/load.ts'
import { Probe } from '../client/probe.ts'
import { checkInvariants, lookup, openInstallation } from '../installation/installation.ts'
import { makeKey } from '../installation/seed.ts'
import type { Scenario } from '../scenario.ts'

const inventedKeys = 600
const connections = 300

export const keys: Scenario = {
  name: 'keys',
  title: 'a flood of made-up keys with right checksums',
  expected: `${connections} connections send made-up keys as fast as they can. A client whose key the server knows gets nothing but 200, and so do keys that are made during the flood, from their first request on.`,

  async run(drill) {
    const seconds = drill.isShort ? 6 : 25
    const newKeys = drill.isShort ? 1 : 5
    const installation = await openInstallation(drill)
    const { service, accounts, domains, commands } = installation
    const { origin } = service
    const requests = Array.from({ length: inventedKeys }, () => lookup(domains[7]!, newApiKey('live')))
    const client = new Probe({ origin, text: lookup(domains[7]!, accounts.modest.key), everyMs: 100 })
    await delay(1_000)
    const load = openLoadGenerator(drill.cleanup)
    const flow = { name: 'invented', connections, ratePerSecond: null, requests, timeoutMs: 30_000 }
    const flooding = load({ origin, seconds, flows: [flow] })
    await delay(1_000)
    const first = new Counts()
    for (let made = 0; made < newKeys; made++) {
      const key = await makeKey(commands, accounts.modest.id)
      first.add(labelOf(await requestOnce(origin, lookup(domains[8]!, key))))
    }
    const { invented } = await flooding
    await client.stop()
    drill.check('a new key is served at its first request', first.of('200') === newKeys, String(first))
    drill.check(
      'a client with a known key gets nothing but 200',
      client.answers.besides('200') === 0,
      String(client.answers),
    )
    const answers = Object.keys(invented!.answers)
    const isRefused = answers.length > 0 && answers.every((name) => ['401', '429', '503'].includes(name))
    drill.check('made-up keys get 401, 429 or 503', isRefused, JSON.stringify(invented!.answers))
    drill.figure('the client with a known key', describeLatencies(summarizeLatencies(client.successesMs())))
    drill.figure('made-up keys a second', Math.round(invented!.sent / invented!.seconds))
    await checkInvariants(drill, installation)
  },
}
