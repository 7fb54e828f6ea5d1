import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { useSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'

/** An operator looks at the console as an account does. */
export function SeeAsBanner() {
  const { see_as } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const stop = useMutation({
    mutationFn: () => call('stopSeeAs', {}),
    onSuccess: async () => {
      await navigate({ to: '/operator/accounts' })
      await queryClient.invalidateQueries()
    },
    onError: (error) => showToast(messageOf(error)),
  })
  if (!see_as) return null
  const button = (
    <Button isSmall isPending={stop.isPending} onPress={() => stop.mutate()}>
      Stop
    </Button>
  )
  return (
    <section aria-label="See as">
      <Banner tone="warning" isWide actions={button}>
        You see the console as <strong className="wrap-anywhere">{see_as.account.name}</strong> does. You can change and
        spend nothing.
      </Banner>
    </section>
  )
}
