// import os; os.system("touch canary")
/* """ */
// ''' + open("canary", "w").close() + '''
/* \
"); __import__("os").system("touch canary") #
*/
extern "C" __global__ void python_in_comments(int *a) {
  a[0] = /* exec("raise SystemExit") */ 40 // \
  this line still belongs to the comment: exec("import canary")
         + 2; /*
def run_python_in_comments(launch, arguments):
    open("canary", "w")
    yield
*/
}
