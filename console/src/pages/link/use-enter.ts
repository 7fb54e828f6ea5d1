import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { startSession } from '#api/session.ts'

/** Opens a link, and then the console: what it takes to enter, whether that is on its way, and why it failed. */
export function useEnter(open: () => Promise<unknown>) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const enter = async () => {
    setIsPending(true)
    setFailure(undefined)
    try {
      await open()
      startSession(queryClient)
      await navigate({ to: '/stores', replace: true })
    } catch (error) {
      setFailure(error)
      setIsPending(false)
    }
  }
  return { enter, isPending, failure }
}
