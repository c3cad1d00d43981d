// What went wrong, and what to do about it.

export const errors = {
  usernameMissing: 'Enter your username.',
  usernameRule: 'Use 2 to 50 letters, digits, underscores or Chinese characters.',
  usernameTaken: 'This username is taken. Choose another.',
  passwordMissing: 'Enter your password.',
  passwordShort: 'Use at least 6 characters.',
  passwordLong: 'Use at most 256 characters.',
  credentials: 'The username or the password is wrong.',
  setupToken: 'This is not the setup token. Find it in the lines the hub printed when it started, or in its log.',
  registrationClosed: 'This hub takes no new accounts. Ask its administrator for one.',
  inviteRequired: 'Enter the invite code, or the link, that somebody of a network gave you.',
  disabled: 'This account is disabled. Ask the operator of the hub to let you in.',
  rateLimited: (seconds: number | null) =>
    seconds === null ? 'Too many attempts. Wait a moment.' : `Too many attempts. Try again in ${seconds} s.`,
  unreachable: 'The hub does not answer. Check that it runs and that you are online.',
  internal: 'The hub failed at this. Its log says why.',
  terminal: 'The task is already settled.',
  permission: 'Your role in this network only lets you read.',
  license: 'The trial of this network is over; its operator can lift it.',
  inviteInvalid: 'There is no such invite. Ask for a new one.',
  inviteExpired: 'This invite is over. Ask for a new one.',
  inviteUsedUp: 'This invite was used as often as it may be. Ask for a new one.',
  alreadyMember: 'You are a member of this network already.',
  networkFull: 'This network has as many members as it may. Its owner can raise that.',
  duplicate: 'The same was sent twenty times within five minutes. Look at the answers first.',
  other: (message: string) => `The hub refused: ${message}`,
};
