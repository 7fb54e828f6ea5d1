import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { startSession } from '#api/session.ts'
import { useSubmit } from '#lib/use-submit.ts'

/** Opens a link, and then the console: `enter` does it, and is the form's `onSubmit`. */
export function useEnter(open: () => Promise<unknown>) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { submit: enter, ...state } = useSubmit(async () => {
    await open()
    startSession(queryClient)
    await navigate({ to: '/stores', replace: true })
  })
  return { enter, ...state }
}
