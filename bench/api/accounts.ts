import { mapConcurrently } from '../support/lists.ts'
import type { Program } from '../support/program.ts'

const unlimited = 2_000_000_000
const meters = ['requests_per_minute', 'requests_per_day', 'search_rows', 'store_exports', 'contact_credits']

/** Opens accounts whose limits no run can reach, and answers a live key of each. */
export function openAccounts(program: Program, count: number): Promise<string[]> {
  return mapConcurrently(
    Array.from({ length: count }, (_, index) => index + 1),
    async (number) => {
      const { id } = await program.run<{ id: string }>(
        'accounts',
        'create',
        '--name',
        `Bench ${number}`,
        '--plan',
        'pro',
        '--status',
        'active',
      )
      await program.run('accounts', 'set', id, ...meters.flatMap((meter) => ['--limit', `${meter}=${unlimited}`]))
      const { key } = await program.run<{ key: string }>('keys', 'create', id, '--name', 'bench')
      return key
    },
    2,
  )
}
