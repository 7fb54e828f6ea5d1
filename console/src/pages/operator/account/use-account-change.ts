import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AccountChanges, changeAccount } from '../operator-api.ts'

/** Saves changes of an account, then closes the dialog; a failure stays in it. */
export function useAccountChange(id: string, onClose: () => void) {
  const queryClient = useQueryClient()
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const save = async (changes: AccountChanges) => {
    if (Object.keys(changes).length === 0) return onClose()
    setIsPending(true)
    setFailure(undefined)
    try {
      await changeAccount(id, changes)
      await queryClient.invalidateQueries({ queryKey: ['operator'] })
      onClose()
    } catch (error) {
      setFailure(error)
    } finally {
      setIsPending(false)
    }
  }
  return { save, isPending, failure }
}
