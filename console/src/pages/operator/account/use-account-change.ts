import { call } from '#api/client.ts'
import { useReload } from '#api/query.ts'
import { useSubmit } from '#lib/use-submit.ts'
import type { AccountChanges } from '../api.ts'

/** Saves changes of an account, then closes the dialog; a failure stays in it. */
export function useAccountChange(id: string, changes: () => AccountChanges, onClose: () => void) {
  const reload = useReload('listAccounts', 'getAccount')
  return useSubmit(async () => {
    const body = changes()
    if (Object.keys(body).length > 0) {
      await call('changeAccount', { id, body })
      await reload()
    }
    onClose()
  })
}
