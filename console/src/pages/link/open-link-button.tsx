import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { startSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { openLink } from './link-reply.ts'

/** Nothing happens until it is pressed: a link that somebody planted signs no browser in by being opened. */
export function OpenLinkButton({ token, children }: { token: string; children: string }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const open = async () => {
    setIsPending(true)
    setFailure(undefined)
    try {
      await openLink(token)
      startSession(queryClient)
      await navigate({ to: '/stores', replace: true })
    } catch (error) {
      setFailure(error)
      setIsPending(false)
    }
  }
  return (
    <>
      <FormError>{failure ? messageOf(failure) : undefined}</FormError>
      <div className="flex flex-col">
        <Button variant="primary" isPending={isPending} onPress={() => void open()} autoFocus>
          {children}
        </Button>
      </div>
    </>
  )
}
