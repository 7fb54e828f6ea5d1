import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from './client.ts'
import { sessionQuery, useSession } from './session.ts'

/** The user's stored choice for one page; it may be anything. */
export function useSetting(group: string, name: string): unknown {
  return settingsOf(useSession().settings[group])[name]
}

interface Setting {
  group: string
  name: string
  value: unknown
}

/** Changes one setting and leaves the others as they are on the server now, not as this tab once read them. */
export function useSaveSetting(): (setting: Setting) => Promise<void> {
  const client = useQueryClient()
  const { mutateAsync } = useMutation({
    // One after the other: of two quick choices the later one stays.
    scope: { id: 'settings' },
    mutationFn: async ({ group, name, value }: Setting) => {
      const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      const settings = { ...session.settings, [group]: { ...settingsOf(session.settings[group]), [name]: value } }
      await call('setSettings', { body: { settings } })
      client.setQueryData(sessionQuery.queryKey, { ...session, settings })
    },
  })
  return mutateAsync
}

function settingsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
