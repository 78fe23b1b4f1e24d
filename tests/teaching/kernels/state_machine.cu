// A tokenizer as a state machine: counts the words and numbers in lines of text. Words
// begin with a letter, numbers with a digit, `#` begins a comment to the end of the line.

enum State { BETWEEN, WORD, NUMBER, COMMENT };

enum Class { SPACE, LETTER, DIGIT, HASH };

__device__ Class classify(unsigned char c) {
  if (c >= 'a' && c <= 'z') return LETTER;
  if (c >= '0' && c <= '9') return DIGIT;
  return c == '#' ? HASH : SPACE;
}

__device__ State follow(State state, Class next) {
  switch (state) {
    case COMMENT:
      return COMMENT;
    case WORD:
    case NUMBER:
      // Inside a token letters and digits are alike: "a1" is one word, "1a" one number.
      if (next == LETTER || next == DIGIT) return state;
      // What ends a token is then looked at as between tokens.
    default:
      break;
  }
  switch (next) {
    case LETTER: return WORD;
    case DIGIT: return NUMBER;
    case HASH: return COMMENT;
    default: return BETWEEN;
  }
}

// One thread a line of `length` characters; lanes are in different states, so each step
// runs through several cases.
extern "C" __global__ void count_tokens(const unsigned char *text, int lines, int length,
                                        int *words, int *numbers, int *comments) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  State state = BETWEEN;
  int counts[4] = {0, 0, 0, 0};
  for (int i = 0; i < length; i++) {
    State next = follow(state, classify(text[line * length + i]));
    // A token is counted where it begins.
    if (next != state) counts[next]++;
    state = next;
  }
  words[line] = counts[WORD];
  numbers[line] = counts[NUMBER];
  comments[line] = counts[COMMENT];
}
