// Error messages: what went wrong and what to do next.

export const errors = {
  usernameMissing: 'Enter your username.',
  usernameRule: 'Use 2 to 50 letters, digits, underscores or Chinese characters.',
  usernameTaken: 'This username is taken. Choose another.',
  passwordMissing: 'Enter your password.',
  passwordShort: 'Use at least 6 characters.',
  passwordLong: 'Use at most 256 characters.',
  credentials: 'Incorrect username or password.',
  setupToken: 'Incorrect setup token. Find it in the startup output or the log of the hub.',
  registrationClosed: 'Registration is closed on this hub. Ask the administrator for an account.',
  inviteRequired: 'Enter the invite code or link you received.',
  disabled: 'This account is disabled. Contact the operator of the hub.',
  rateLimited: (seconds: number | null) =>
    seconds === null ? 'Too many attempts. Try again in a moment.' : `Too many attempts. Try again in ${seconds} s.`,
  unreachable: 'Cannot reach the hub. Check that it is running and that you are online.',
  internal: 'The hub encountered an error. See its log for details.',
  terminal: 'The task is already finished.',
  permission: 'You have read-only access to this network.',
  license: 'The trial of this network has expired. The operator of the hub can extend or remove it.',
  inviteInvalid: 'This invite does not exist. Ask for a new one.',
  inviteExpired: 'This invite has expired. Ask for a new one.',
  inviteUsedUp: 'This invite has reached its use limit. Ask for a new one.',
  alreadyMember: 'You are already a member of this network.',
  networkFull: 'This network has reached its member limit. Its owner can raise the limit.',
  duplicate: 'The same content was sent 20 times within 5 minutes. Check the replies first.',
  other: (message: string) => `The hub rejected the request: ${message}`,
};
