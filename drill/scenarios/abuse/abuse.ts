import { checkInvariants, openInstallation } from '../../installation/installation.ts'
import type { Scenario } from '../../scenario.ts'
import { abuseExports } from './exports.ts'
import { abuseImports } from './imports.ts'
import { abuseSignIn } from './sign-in.ts'
import { abuseTools } from './tools.ts'

export const abuse: Scenario = {
  name: 'abuse',
  title: 'files, passwords, exports and tools, used to take work or storage without end',
  expected:
    'previews of hostile files leave `/healthz` answered within 100 ms; a refused file leaves at most twice its text and 1 MB of rejects, and a packed one at most 200 times its bytes. One person who changes passwords over 60 connections keeps nobody from signing in, and a stranger who guesses wrong locks out neither the owner, in a browser that is known, nor a confirmation. The ready exports of an account are bounded, and so are the messages that a key sends to `/mcp`.',

  async run(drill) {
    const installation = await openInstallation(drill, { environment: { TRUST_PROXY: '127.0.0.1' } })
    await abuseImports(drill, installation)
    await abuseSignIn(drill, installation)
    await abuseExports(drill, installation)
    await abuseTools(drill, installation)
    await checkInvariants(drill, installation)
  },
}
