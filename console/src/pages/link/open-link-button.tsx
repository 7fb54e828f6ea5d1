import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { startSession } from '#api/session.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { FormError } from '#ui/fields/field.tsx'

/** Nothing happens until it is pressed: a planted link signs no browser in by being opened. */
export function OpenLinkButton({ token, children }: { token: string; children: string }) {
  const { enter, isPending, failure } = useEnter(() => call('openLink', { body: { token } }))
  return (
    <>
      <FormError>{failure !== undefined && messageOf(failure)}</FormError>
      <div className="flex flex-col">
        <Button variant="primary" isPending={isPending} onPress={() => void enter()} autoFocus>
          {children}
        </Button>
      </div>
    </>
  )
}

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
