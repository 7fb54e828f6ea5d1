import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { messageOf } from '#api/failure.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import { signOut } from './signing-out.ts'

export function useSignOut(): () => void {
  const router = useRouter()
  const queryClient = useQueryClient()
  return () => {
    signOut(router, queryClient).catch((error: unknown) => showToast(messageOf(error)))
  }
}
